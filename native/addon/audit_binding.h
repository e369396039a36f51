#pragma once

#include <napi.h>

namespace ion {

/// auditAppend(folder, events, maxFileBytes, sync) -> {sequence, hash}. Throws an Error with errno and step.
Napi::Value AuditAppend(const Napi::CallbackInfo& info);

}  // namespace ion
