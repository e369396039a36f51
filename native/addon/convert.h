#pragma once

#include <napi.h>

#include <string>
#include <vector>

namespace ion {

/// Returns an Error with errno, step and path, for `what`, which failed with errno `error`.
Napi::Error SystemError(Napi::Env env, const std::string& what, int error, const std::string& path);

std::vector<std::string> Strings(const Napi::Array& array);

}  // namespace ion
