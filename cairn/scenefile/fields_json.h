// SPDX-License-Identifier: MIT
// The three users of Fields: an object from JSON, JSON from an object, and the JSON Schema of what would be read.
#pragma once

#include <string>

#include "cairn/io/json_text.h"
#include "cairn/scenefile/fields.h"

namespace cairn {

/// Fills an object from JSON. InputError "file:line:column: path: what is wrong, what is allowed, what was given", a
/// line for each mistake; unknown keys are refused with what to write instead. `path` is that of the object itself,
/// empty for the whole file.
void read_fields(const JsonValue& json, const std::string& file, const std::string& path, const Describe& describe);

/// The object as JSON, members in the order described; those that are as in `describe_fresh` are left out, except
/// required ones.
JsonValue write_fields(const Describe& describe, const Describe& describe_fresh);

/// JSON Schema (draft 7) of an object; defaults are those of the object described.
JsonValue schema_of(const Describe& describe_fresh);
/// The same schema with what has a type (Fields::type) told once, under "definitions".
JsonValue with_definitions(JsonValue schema);

}  // namespace cairn
