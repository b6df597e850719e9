// SPDX-License-Identifier: BSD-3-Clause
#include "report/commented_yaml.hpp"

#include <algorithm>
#include <cctype>

namespace softfeb::report {

namespace {

constexpr std::size_t kNoteColumn = 40;

bool is_plain(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '%' || c == '-';
  };
  return !text.empty() && std::isalnum(static_cast<unsigned char>(text.front())) != 0 && text != "null" &&
         std::all_of(text.begin(), text.end(), plain);
}

std::string scalar(const std::string& text) {
  using nlohmann::json;
  return is_plain(text) ? text : json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string yaml_flow(const nlohmann::ordered_json& value) {
  if (value.is_string()) return scalar(value.get<std::string>());
  if (!value.is_structured()) return value.dump();
  std::string out;
  for (const auto& [key, child] : value.items()) {
    if (!out.empty()) out += ", ";
    if (value.is_object()) out += scalar(key) + ": ";
    out += yaml_flow(child);
  }
  return value.is_object() ? '{' + out + '}' : '[' + out + ']';
}

std::string comment_text(const std::string& text) {
  std::string out = text;
  for (char& c : out)
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  return out;
}

void CommentedYaml::line(std::size_t indent, const std::string& text, const std::string& note) {
  std::string out = std::string(indent, ' ') + text;
  if (!note.empty()) {
    out.resize(std::max(out.size() + 3, kNoteColumn), ' ');
    out += "# " + comment_text(note);
  }
  text_ += out + '\n';
}

void CommentedYaml::comment(std::size_t indent, const std::string& text) {
  text_ += std::string(indent, ' ') + (text.empty() ? "#" : "# ") + comment_text(text) + '\n';
}

}  // namespace softfeb::report
