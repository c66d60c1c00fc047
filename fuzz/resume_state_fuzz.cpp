// Bytes as OUT.part.state, which says what an interrupted run has finished: what is read is written and read back the
// same.
#include "api/embedding/resume_state.hpp"
#include "target.hpp"

using namespace summand;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  fuzz::accepts([&] {
    const auto finished = api::parse_resume_state(input, "state");
    fuzz::expect(finished.rows > 0, "something is finished");
    const std::string written = api::to_json(finished);
    fuzz::expect(api::parse_resume_state(written, "written state") == finished, "it reads back the same");
  });
  return 0;
}
