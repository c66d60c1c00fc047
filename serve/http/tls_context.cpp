#include "serve/http/tls_context.hpp"

#include <openssl/ssl.h>

#include <array>
#include <string>
#include <string_view>

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

void require(const Code& error, const std::filesystem::path& file) {
  if (error) throw IoError(path_text(file), error.message());
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
  require(error, tls.certificate);
  context.use_private_key_file(tls.key.string(), ssl::context::pem, error);
  require(error, tls.key);
  if (::SSL_CTX_check_private_key(native) != 1) {
    throw IoError(path_text(tls.key), "expected the key of " + path_text(tls.certificate) + ", got another one's");
  }
  return context;
}

}  // namespace summand::serve::http
