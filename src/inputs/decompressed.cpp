#define ZLIB_CONST  // the input is not written to
#include "inputs/decompressed.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.hpp"

namespace summand::inputs {

namespace {

[[noreturn]] void refuse(const std::string& name, std::string_view kind, std::string_view reason) {
  throw TextError(name, fmt::format("expected {} data, got other or damaged bytes: {}", kind, reason));
}

class GzipDecompressor : public Decompressor {
 public:
  explicit GzipDecompressor(std::string name) : name_(std::move(name)) {
    constexpr int kGzipAlone = 16;  // zlib.h, inflateInit2
    if (::inflateInit2(&stream_, MAX_WBITS + kGzipAlone) != Z_OK) throw std::bad_alloc();
  }
  GzipDecompressor(const GzipDecompressor&) = delete;
  GzipDecompressor& operator=(const GzipDecompressor&) = delete;
  ~GzipDecompressor() override { ::inflateEnd(&stream_); }

  Step decompress(std::span<const char> input, std::span<char> output) override {
    Step step;
    // Zeros are allowed between members and at the end, as on tapes: gzip skips them too.
    while (is_between_ && step.taken < input.size() && input[step.taken] == '\0') ++step.taken;
    if (is_between_ && step.taken == input.size()) return step;
    is_between_ = false;
    const auto rest = input.subspan(step.taken);
    stream_.next_in = reinterpret_cast<const Bytef*>(rest.data());
    stream_.avail_in = static_cast<uInt>(rest.size());
    stream_.next_out = reinterpret_cast<Bytef*>(output.data());
    stream_.avail_out = static_cast<uInt>(output.size());
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      refuse(name_, "gzip", stream_.msg ? stream_.msg : "unknown");
    }
    step.taken += rest.size() - stream_.avail_in;
    step.made = output.size() - stream_.avail_out;
    if (status == Z_STREAM_END) {
      is_between_ = true;
      ::inflateReset(&stream_);
    }
    return step;
  }

  [[nodiscard]] bool is_between_members() const override { return is_between_; }

 private:
  std::string name_;
  z_stream stream_{};
  bool is_between_ = false;
};

class ZstdDecompressor : public Decompressor {
 public:
  explicit ZstdDecompressor(std::string name) : name_(std::move(name)), stream_(::ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }

  Step decompress(std::span<const char> input, std::span<char> output) override {
    ::ZSTD_inBuffer in{input.data(), input.size(), 0};
    ::ZSTD_outBuffer out{output.data(), output.size(), 0};
    const size_t more = ::ZSTD_decompressStream(stream_.get(), &out, &in);
    if (::ZSTD_isError(more)) refuse(name_, "zstd", ::ZSTD_getErrorName(more));
    is_between_ = more == 0;
    return {.taken = in.pos, .made = out.pos};
  }

  [[nodiscard]] bool is_between_members() const override { return is_between_; }

 private:
  struct Free {
    void operator()(::ZSTD_DStream* stream) const { ::ZSTD_freeDStream(stream); }
  };
  std::string name_;
  std::unique_ptr<::ZSTD_DStream, Free> stream_;
  bool is_between_ = false;
};

std::unique_ptr<Decompressor> decompressor_of(Compression compression, const std::string& name) {
  if (compression == Compression::gzip) return std::make_unique<GzipDecompressor>(name);
  return std::make_unique<ZstdDecompressor>(name);
}

}  // namespace

std::string_view magic_bytes(Compression compression) {
  switch (compression) {
    case Compression::none:
      break;
    case Compression::gzip:
      return "\x1F\x8B";
    case Compression::zstd:
      return "\x28\xB5\x2F\xFD";
  }
  return {};
}

Decompressed::Decompressed(std::streambuf& compressed, Compression compression, std::string name)
    : compressed_(&compressed), name_(std::move(name)), decompressor_(decompressor_of(compression, name_)) {}

bool Decompressed::refill() {
  if (traits_type::eq_int_type(compressed_->sgetc(), traits_type::eof())) return false;
  const auto there = std::min<std::streamsize>(compressed_->in_avail(), static_cast<std::streamsize>(input_.size()));
  left_ = {input_.data(), static_cast<size_t>(compressed_->sgetn(input_.data(), std::max<std::streamsize>(there, 1)))};
  return true;
}

Decompressed::int_type Decompressed::underflow() {
  if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
  for (;;) {
    const bool has_ended = left_.empty() && !refill();
    if (has_ended && decompressor_->is_between_members()) return traits_type::eof();
    const auto step = decompressor_->decompress(left_, output_);
    left_ = left_.subspan(step.taken);
    if (step.made > 0) {
      setg(output_.data(), output_.data(), output_.data() + step.made);
      return traits_type::to_int_type(*gptr());
    }
    if (has_ended) throw TextError(name_, "expected a whole compressed file, got one that ends early");
  }
}

}  // namespace summand::inputs
