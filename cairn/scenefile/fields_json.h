// SPDX-License-Identifier: MIT
// The three users of Fields. They read an object from JSON, write it as JSON, and write the JSON Schema of what is
// read.
#pragma once

#include <string>

#include "cairn/io/json_text.h"
#include "cairn/scenefile/fields.h"

namespace cairn {

/// Fills an object from JSON. Throws InputError with one line for each mistake: "file:line:column: path: what is wrong,
/// what is allowed, what was given". For an unknown key it says what to write instead. `path` is the path of the object
/// itself, and empty for the whole file.
void read_fields(const JsonValue& json, const std::string& file, const std::string& path, const Describe& describe);

/// Writes the object as JSON, with members in the order of the description. Members with the values of `describe_fresh`
/// are left out unless they are required.
JsonValue write_fields(const Describe& describe, const Describe& describe_fresh);

/// The JSON Schema (draft 7) of an object. Its defaults are the values of the object that is described.
JsonValue schema_of(const Describe& describe_fresh);
/// The same schema, with each object that has a type (Fields::type) defined once, under "definitions".
JsonValue with_definitions(JsonValue schema);

}  // namespace cairn
