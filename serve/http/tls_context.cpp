#include "serve/http/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <boost/asio/ssl/error.hpp>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/paths.hpp"

namespace summand::serve::http {

namespace ssl = boost::asio::ssl;
using Code = boost::system::error_code;

namespace {

/// Of the protocols that a client offers, HTTP/1.1; another one is left to the client to give up.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_bytes, const unsigned char* offered,
                    unsigned offered_bytes, void*) {
  static constexpr std::array<unsigned char, 9> kOurs{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* found = nullptr;
  const int result = ::SSL_select_next_proto(&found, chosen_bytes, kOurs.data(), kOurs.size(), offered, offered_bytes);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

/// What a file is instead of what it was given for; empty: it cannot be opened.
std::string found_in(const std::filesystem::path& file) {
  constexpr size_t kMost = size_t{1} << 20;
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) return "a folder";
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return {};
  std::string text(kMost, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  const auto has = [&](std::string_view words) { return text.find(words) != std::string::npos; };
  if (text.empty()) return "an empty file";
  if (has("BEGIN ENCRYPTED PRIVATE KEY") || has("Proc-Type: 4,ENCRYPTED")) return "one with a password";
  if (has("PRIVATE KEY-----")) return "one that OpenSSL cannot read";
  if (has("BEGIN CERTIFICATE-----")) return "a certificate";
  return "something else";
}

/// @param expected  what the file should be
void require(const Code& error, const std::filesystem::path& file, std::string_view expected) {
  if (!error) return;
  const std::string found = found_in(file);
  if (found.empty()) throw IoError(path_text(file), error.message());
  throw IoError(path_text(file), "expected " + std::string(expected) + ", got " + found);
}

/// Whether a key could be read, and the certificate has another one.
bool is_anothers_key(const Code& error) {
  if (error.category() != boost::asio::error::get_ssl_category()) return false;
  const auto code = static_cast<unsigned long>(error.value());
  return ERR_GET_LIB(code) == ERR_LIB_X509 &&
         (ERR_GET_REASON(code) == X509_R_KEY_VALUES_MISMATCH || ERR_GET_REASON(code) == X509_R_KEY_TYPE_MISMATCH);
}

}  // namespace

ssl::context make_tls_context(const Tls& tls) {
  ssl::context context(ssl::context::tls_server);
  SSL_CTX* const native = context.native_handle();
  ::SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  ::SSL_CTX_set_options(native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                    SSL_OP_PRIORITIZE_CHACHA);
  ::SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);  // an idle connection keeps none
  ::SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_SERVER);
  static constexpr std::string_view kSessions = "summand";
  ::SSL_CTX_set_session_id_context(native, reinterpret_cast<const unsigned char*>(kSessions.data()), kSessions.size());
  ::SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
  // A key with a password is refused: OpenSSL would ask for it at the terminal.
  Code error;
  context.set_password_callback([](size_t, ssl::context::password_purpose) { return std::string(); }, error);
  context.use_certificate_chain_file(tls.certificate.string(), error);
  require(error, tls.certificate, "a certificate chain, PEM");
  context.use_private_key_file(tls.key.string(), ssl::context::pem, error);
  const bool is_anothers = is_anothers_key(error);
  if (!is_anothers) require(error, tls.key, "a private key, PEM, without a password");
  if (is_anothers || ::SSL_CTX_check_private_key(native) != 1) {
    throw IoError(path_text(tls.key), "expected the key of " + path_text(tls.certificate) + ", got another one's");
  }
  return context;
}

}  // namespace summand::serve::http
