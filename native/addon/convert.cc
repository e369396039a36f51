#include "convert.h"

#include <cstring>

namespace ion {

Napi::Error SystemError(Napi::Env env, const std::string& what, int error, const std::string& path) {
  Napi::Error thrown = Napi::Error::New(env, what + ": " + std::strerror(error));
  thrown.Set("errno", Napi::Number::New(env, error));
  thrown.Set("step", Napi::String::New(env, what));
  thrown.Set("path", Napi::String::New(env, path));
  return thrown;
}

std::vector<std::string> Strings(const Napi::Array& array) {
  std::vector<std::string> list;
  list.reserve(array.Length());
  for (uint32_t i = 0; i < array.Length(); i++) list.push_back(array.Get(i).As<Napi::String>().Utf8Value());
  return list;
}

}  // namespace ion
