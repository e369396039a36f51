#include "audit_binding.h"

#include <cstring>

#include "audit.h"

namespace ion {

Napi::Value AuditAppend(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  AuditAppendSpec spec;
  spec.folder = info[0].As<Napi::String>().Utf8Value();
  Napi::Array events = info[1].As<Napi::Array>();
  spec.events.reserve(events.Length());
  for (uint32_t i = 0; i < events.Length(); i++) spec.events.push_back(events.Get(i).As<Napi::String>().Utf8Value());
  spec.max_file_bytes = static_cast<uint64_t>(info[2].As<Napi::Number>().Int64Value());
  spec.sync = info[3].ToBoolean().Value();
  AuditAppendResult done = audit_append(spec);
  if (done.error != 0) {
    Napi::Error thrown = Napi::Error::New(env, std::string(done.step) + ": " + std::strerror(done.error));
    thrown.Set("errno", Napi::Number::New(env, done.error));
    thrown.Set("step", Napi::String::New(env, done.step));
    throw thrown;
  }
  Napi::Object result = Napi::Object::New(env);
  result.Set("sequence", static_cast<double>(done.sequence));
  result.Set("hash", done.hash);
  return result;
}

}  // namespace ion
