// SPDX-License-Identifier: MIT
#include "apps/cli/manual.h"

#include <fmt/format.h>

#include <vector>

#include "scenes/scene.h"

namespace cairn::cli {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// Text of roff: what begins a line or is a backslash means something there.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

/// A command with its options, then those below it.
void write_command(std::string& out, const CLI::App& app, const std::string& words) {
  out += fmt::format(".SS {}\n{}\n", roff(words), roff(app.get_description()));
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name(true, true);
    if (name.empty() || name == "-h,--help") continue;
    const std::string value = option->get_type_size() > 0 ? option->get_type_name() : "";
    out += fmt::format(".TP\n.B {}{}{}\n{}\n", roff(name), value.empty() ? "" : " ", roff(value),
                       roff(option->get_description()));
  }
  for (const CLI::App* sub : commands_of(app)) write_command(out, *sub, words + " " + sub->get_name());
}

/// The long options of a command and the names of those below it, as words.
std::string words_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* sub : commands_of(app)) words.push_back(sub->get_name());
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  return fmt::format("{}", fmt::join(words, " "));
}

std::string scene_words() {
  std::vector<std::string> words;
  for (const scenes::SceneInfo& scene : scenes::scene_table()) words.push_back(scene.example);
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string out = fmt::format(".TH CAIRN 1 \"\" \"cairn {}\" \"User Commands\"\n.SH NAME\ncairn \\- {}\n", version,
                                roff(app.get_description()));
  out += ".SH SYNOPSIS\n.B cairn\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) write_command(out, *command, "cairn " + command->get_name());
  return out;
}

std::string completion_script(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* command : commands_of(app)) {
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), words_of(*command));
    for (const CLI::App* sub : commands_of(*command))
      cases += fmt::format("    '{} {}') words=\"{}\" ;;\n", command->get_name(), sub->get_name(), words_of(*sub));
  }
  return fmt::format(R"(# Completion of cairn for bash; for zsh first: autoload bashcompinit && bashcompinit
_cairn() {{
  local now=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} words=
  [ "$command" = bench ] && [ "$COMP_CWORD" -gt 2 ] && command="bench ${{COMP_WORDS[2]}}"
  case $command in
{}  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="{}"; fi
  if [ "$COMP_CWORD" -eq 2 ]; then
    case $command in run|view|capture|compare|scenes) words="$words {}" ;; esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$now") $(compgen -f -- "$now"))
}}
complete -o filenames -F _cairn cairn
)",
                     cases, words_of(app), scene_words());
}

}  // namespace cairn::cli
