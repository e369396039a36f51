#pragma once

#include <napi.h>

#include <string>
#include <vector>

namespace ion {

/// `what` failed with errno `error`: an Error with errno, step and path.
Napi::Error SystemError(Napi::Env env, const std::string& what, int error, const std::string& path);

std::vector<std::string> Strings(const Napi::Array& array);

}  // namespace ion
