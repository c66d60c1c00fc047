// Bytes as config.json: what is read is written and read back the same.
#include "model/config.hpp"
#include "target.hpp"

using namespace summand;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  fuzz::accepts([&] {
    const model::ParsedConfig parsed = model::parse_config(input, "config.json");
    const std::string written = model::to_json(parsed.config);
    const model::ParsedConfig again = model::parse_config(written, "written config.json");
    fuzz::expect(again.config == parsed.config, "a configuration that is written reads back the same");
    fuzz::expect(model::to_json(again.config) == written, "it is written the same again");
    const auto int8 = model::with_weight_format(input, model::WeightFormat::summand_int8);
    model::Config in_8_bits = model::parse_config(int8, "config.json in 8 bits").config;
    fuzz::expect(in_8_bits.weight_format == model::WeightFormat::summand_int8, "another weight format is read back");
    in_8_bits.weight_format = parsed.config.weight_format;
    in_8_bits.model_type = parsed.config.model_type;  // the mark of what runs here alone
    fuzz::expect(in_8_bits == parsed.config, "another weight format changes nothing else");
    fuzz::expect(parsed.config.head_size() > 0, "heads have a size");
    fuzz::expect(model::rows_of(parsed).size() > parsed.defaulted.size(), "the table has every field");
  });
  return 0;
}
