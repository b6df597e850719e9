// SPDX-License-Identifier: BSD-3-Clause
#include "config/congestion.hpp"

#include "config/choices.hpp"
#include "config/draft.hpp"
#include "config/emit.hpp"
#include "config/units.hpp"
#include "plugins/plugin_algorithm.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace softfeb::config {
namespace {

/// Reads the fields that are given in the section into `p`. A key is either softfeb's name of the field or
/// the NIC vendor's name.
template <class Parameters>
void read_fields(Section& s, Parameters& p) {
  for (const auto& field : dcqcn::fields_of<Parameters>()) {
    std::uint64_t value = 0;
    const auto parse = [&field](const std::string& text) { return parse_value(field, text); };
    const bool ours = s.read(field.name, value, parse);
    const bool theirs = !field.alias.empty() && s.read(field.alias, value, parse);
    if (ours && theirs) {
      s.reading().problem(s.find(field.alias)->where, "is an alias of `" + std::string(field.name) + '`',
                          "remove one of the two");
    }
    if (ours || theirs) field.set(p, value);
  }
}

template <class Parameters>
void emit_fields(Json& json, const Parameters& p) {
  for (const auto& field : dcqcn::fields_of<Parameters>()) {
    const std::uint64_t value = field.get(p);
    if (!field.optional || value != 0) json[std::string(field.name)] = emit_value(field, value);
  }
}

void read_bucket(Section& s, dcqcn::BucketConfig& bucket) {
  s.read("bucket", bucket.size, [](const std::string& text) -> Parsed<std::uint64_t> {
    auto size = parse_size(text);
    if (size.value && (*size.value < 4160 || *size.value > (1U << 30))) {
      return {text + ": the bucket must hold one packet and be at most 1GiB", "write 5KiB to 1GiB"};
    }
    return size;
  });
  s.read("bucket_start", bucket.start_full, choices::kBucketStart);
}

void read_build(Section& s, dcqcn::FirmwareSettings& f) {
  std::uint64_t width = 32;
  s.read("width", width, [](const std::string& text) -> Parsed<std::uint64_t> {
    if (text == "32" || text == "64") return std::uint64_t{text == "32" ? 32U : 64U};
    return {text + " is not a register width", "write 32 (like the firmware) or 64"};
  });
  f.build.wrap32 = width == 32;
  if (width == 64) f.bucket.arithmetic = dcqcn::BucketArithmetic::kExact;
  if (s.read("line_rate", f.build.line_rate, parse_bandwidth) && f.build.wrap32 &&
      f.build.line_rate > UINT32_MAX) {
    s.reading().problem(s.find("line_rate")->where, "exceeds the firmware's 32-bit registers (34 Gb/s)",
                        "write `width: 64`, or a lower rate");
  }
}

/// Checks that `least`, the minimum rate after a cut, does not exceed the line rate. Each of the two rates is
/// either given in the section or a default.
void check_least(Section& s, const char* name, const char* alias, std::uint64_t least,
                 std::uint64_t line_rate) {
  if (least <= line_rate) return;
  const Node* node = nullptr;
  for (const char* key : {name, alias, "line_rate", "rpg_max_rate"})
    node = node != nullptr ? node : s.find(key);
  const std::string line = format_bandwidth(line_rate);
  s.reading().problem(node->where,
                      "a cut would raise the rate: `" + std::string(name) + "` is " +
                          format_bandwidth(least) + ", above the line rate " + line,
                      "write `" + std::string(name) + "` of at most " + line + ", or a higher `line_rate`");
}

void check_rates(Section& s, const CongestionConfig& d) {
  if (d.algorithm == CongestionConfig::Algorithm::kFirmware)
    check_least(s, "rmin", "rmin", d.firmware.parameters.rmin, d.firmware.build.line_rate);
  if (d.algorithm == CongestionConfig::Algorithm::kPaper) {
    check_least(s, "min_rate", "rpg_min_rate", d.paper.parameters.min_rate, d.paper.parameters.line_rate);
  }
}

void emit_bucket(Json& json, const dcqcn::BucketConfig& bucket) {
  json["bucket"] = format_size(bucket.size);
  json["bucket_start"] = choices::kBucketStart.name(bucket.start_full);
}

/// Value of `algorithm`.
struct AlgorithmName {
  CongestionConfig::Algorithm algorithm = CongestionConfig::Algorithm::kOff;
  /// For kPaper: function that returns the parameters. If it is null, the parameters are those of the paper.
  dcqcn::PaperParameters (*preset)() = nullptr;
  const congestion::Algorithm* other = nullptr;  ///< for kOther: the algorithm
};

constexpr std::uint64_t kLineRate = dcqcn::PaperParameters().line_rate;

/// Returns the algorithms that section `key` accepts.
Choices<AlgorithmName> algorithm_names(const char* key) {
  using Algorithm = CongestionConfig::Algorithm;
  Choices<AlgorithmName> names{
      {{"off", {}},
       {"firmware", {Algorithm::kFirmware}},
       {"paper", {Algorithm::kPaper}},
       {"connectx", {Algorithm::kPaper, [] { return dcqcn::connectx_parameters(kLineRate); }}},
       {"ns3", {Algorithm::kPaper, [] { return dcqcn::ns3_parameters(); }}},
       {"swcc", {Algorithm::kPaper, [] { return dcqcn::swcc_parameters(kLineRate); }}}}};
  if (std::string_view(key) == "dcqcn") return names;
  for (const congestion::Algorithm* other : congestion::algorithms())
    names.names.push_back({std::string(other->name()), {Algorithm::kOther, nullptr, other}});
  return names;
}

void choose_algorithm(CongestionConfig& d, const AlgorithmName& name) {
  d.algorithm = name.algorithm;
  if (name.preset != nullptr) d.paper.parameters = name.preset();
  if (name.other == nullptr) return;
  d.other.algorithm = name.other;
  d.given.assign(name.other->parameters().size(), std::nullopt);
}

/// Loads the plug-in that the section names.
bool choose_plugin(Section& s, CongestionConfig& d) {
  const Node* const node = s.find("plugin");
  if (!s.read("plugin", d.plugin, parse_text)) return false;
  if (s.given("algorithm")) {
    s.reading().problem(node->where, "the section has an `algorithm` as well", "remove one of the two");
    return false;
  }
  try {
    choose_algorithm(d, {CongestionConfig::Algorithm::kOther, nullptr, &plugins::load_plugin(d.plugin)});
    return true;
  } catch (const plugins::PluginError& e) {
    s.reading().problem(node->where, d.plugin + ' ' + e.what(), e.fix());
    return false;
  }
}

/// Reads `algorithm` or, in section `congestion`, `plugin`. Returns false if there is a problem.
bool choose(Section& s, const char* key, CongestionConfig& d) {
  if (std::string_view(key) == "congestion" && s.given("plugin")) return choose_plugin(s, d);
  AlgorithmName name;
  const char* const example = std::string_view(key) == "dcqcn" ? "firmware" : "swift";
  if (!s.require("algorithm", name, algorithm_names(key), example)) return false;
  choose_algorithm(d, name);
  return true;
}

/// Reads the parameters that the section contains into `given`.
void read_parameters(Section& s, const congestion::Algorithm& algorithm,
                     std::vector<std::optional<double>>& given) {
  const auto parameters = algorithm.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    double value = 0;
    const auto parse = [&](const std::string& text) { return parse_value(parameters[i], text); };
    if (s.read(parameters[i].name, value, parse)) given[i] = value;
  }
}

/// Reports keys that are parameters only of other algorithms.
void refuse_parameters_of_others(Section& s, const congestion::Algorithm& algorithm) {
  const auto has = [](const congestion::Algorithm& a, std::string_view name) {
    return std::ranges::any_of(a.parameters(), [&](const auto& p) { return p.name == name; });
  };
  std::set<std::string_view> reported;
  for (const congestion::Algorithm* other : congestion::algorithms()) {
    for (const auto& p : other->parameters()) {
      if (!s.given(p.name) || has(algorithm, p.name) || !reported.insert(p.name).second) continue;
      s.reading().problem(
          s.find(p.name)->where,
          "is a parameter of " + std::string(other->name()) + ", not of " + std::string(algorithm.name()),
          "remove it, or write `algorithm: " + std::string(other->name()) + '`');
    }
  }
}

void report_conflict(Reading& reading, const CongestionConfig& d) {
  const auto conflict = d.other.algorithm->conflict(d.other.values);
  if (!conflict) return;
  const congestion::Parameter& p = d.other.algorithm->parameters()[conflict->parameter];
  const Json value = emit_value(p, d.other.values[conflict->parameter]);
  reading.problem(d.where,
                  '`' + std::string(p.name) + "` is " +
                      (value.is_string() ? value.get<std::string>() : value.dump()) + ", " + conflict->text,
                  conflict->fix);
}

}  // namespace

std::string CongestionConfig::name() const {
  switch (algorithm) {
    case Algorithm::kOff:
      return "off";
    case Algorithm::kFirmware:
      return "firmware";
    case Algorithm::kPaper:
      return "paper";
    case Algorithm::kOther:
      break;
  }
  return std::string(other.algorithm->name());
}

namespace {

CongestionConfig read_section(Section& parent, const char* key, const Node& node) {
  CongestionConfig d;
  d.where = node.where;
  AlgorithmName name;
  if (node.kind != Node::Kind::kMap) {
    if (parent.scalar(node, name, algorithm_names(key))) choose_algorithm(d, name);
    return d;
  }
  Section s(parent.reading(), node, parent.pattern(key));
  if (!choose(s, key, d)) return d;  // the other keys cannot be read, because they depend on the algorithm
  s.read("scope", d.scope, choices::kCongestionScope);
  if (d.algorithm == CongestionConfig::Algorithm::kFirmware) {
    read_bucket(s, d.firmware.bucket);
    read_build(s, d.firmware);
  } else if (d.algorithm == CongestionConfig::Algorithm::kPaper) {
    read_bucket(s, d.paper.bucket);
  }
  read_congestion_parameters(s, d);
  check_rates(s, d);
  s.close();
  return d;
}

}  // namespace

std::optional<CongestionConfig> read_congestion(Section& parent) {
  const Node* const dcqcn = parent.find("dcqcn");
  const Node* const any = parent.find("congestion");
  if (dcqcn != nullptr && any != nullptr) {
    parent.reading().problem(any->where, "a QP has one congestion control, but `dcqcn` is given as well",
                             "remove one of the two sections");
  }
  if (any != nullptr) return read_section(parent, "congestion", *any);
  if (dcqcn != nullptr) return read_section(parent, "dcqcn", *dcqcn);
  return std::nullopt;
}

void read_congestion_parameters(Section& s, CongestionConfig& d) {
  switch (d.algorithm) {
    case CongestionConfig::Algorithm::kFirmware:
      return read_fields(s, d.firmware.parameters);
    case CongestionConfig::Algorithm::kPaper:
      return read_fields(s, d.paper.parameters);
    case CongestionConfig::Algorithm::kOther:
      read_parameters(s, *d.other.algorithm, d.given);
      return refuse_parameters_of_others(s, *d.other.algorithm);
    case CongestionConfig::Algorithm::kOff:
      break;
  }
}

std::vector<std::string> algorithm_values() {
  std::vector<std::string> values;
  for (const auto& [name, value] : algorithm_names("congestion").names) values.push_back(name);
  return values;
}

std::optional<CongestionConfig> read_algorithm(Section& s, const char* key) {
  CongestionConfig d;
  d.where = s.where();
  if (!choose(s, key, d)) return std::nullopt;
  return d;
}

void set_given(Reading& reading, CongestionConfig& d) {
  if (d.algorithm != CongestionConfig::Algorithm::kOther) return;
  for (std::size_t i = 0; i < d.given.size(); ++i) {
    if (d.given[i]) d.other.values[i] = *d.given[i];
  }
  report_conflict(reading, d);
}

namespace {

Json parameters_of(const CongestionConfig& d) {
  Json json = Json::object();
  if (d.algorithm == CongestionConfig::Algorithm::kFirmware) emit_fields(json, d.firmware.parameters);
  if (d.algorithm == CongestionConfig::Algorithm::kPaper) emit_fields(json, d.paper.parameters);
  if (d.algorithm != CongestionConfig::Algorithm::kOther) return json;
  const auto parameters = d.other.algorithm->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    json[std::string(parameters[i].name)] = emit_value(parameters[i], d.other.values[i]);
  return json;
}

}  // namespace

Json changeable(const CongestionConfig& d) {
  if (d.other.algorithm != nullptr && !d.other.algorithm->changeable()) return Json::object();
  return parameters_of(d);
}

Json emit_congestion(const CongestionConfig& d) {
  if (d.algorithm == CongestionConfig::Algorithm::kOff) return "off";
  Json json;
  if (d.plugin.empty()) {
    json["algorithm"] = d.name();
  } else {
    json["plugin"] = d.plugin;
  }
  json["scope"] = choices::kCongestionScope.name(d.scope);
  if (d.algorithm == CongestionConfig::Algorithm::kFirmware) {
    emit_bucket(json, d.firmware.bucket);
    json["line_rate"] = format_bandwidth(d.firmware.build.line_rate);
    json["width"] = d.firmware.build.wrap32 ? 32 : 64;
  } else if (d.algorithm == CongestionConfig::Algorithm::kPaper) {
    emit_bucket(json, d.paper.bucket);
  }
  json.update(parameters_of(d));
  return json;
}

namespace {

void complete(Reading& reading, CongestionConfig& d, const congestion::PathFacts& path) {
  if (d.algorithm != CongestionConfig::Algorithm::kOther) return;
  d.other.path = path;
  d.other.values = d.other.algorithm->defaults(path);
  set_given(reading, d);
}

congestion::PathFacts path_of(const BoardConfig& board, const QpConfig& qp) {
  congestion::PathFacts path;
  if (board.link_rate && *board.link_rate != 0) path.line_rate = *board.link_rate;
  path.pmtu = qp.pmtu;
  path.overhead = wire_overhead(board, qp);
  return path;
}

}  // namespace

void complete_congestion(Reading& reading, RunConfig& config) {
  for (BoardConfig& board : config.boards) {
    QpConfig largest;  // the QP with the largest path MTU among those that use the board's section
    largest.pmtu = 0;
    for (QpConfig& qp : board.qps) {
      if (qp.congestion) {
        complete(reading, *qp.congestion, path_of(board, qp));
      } else if (qp.pmtu > largest.pmtu) {
        largest = qp;
      }
    }
    if (largest.pmtu == 0) largest.pmtu = QpConfig().pmtu;
    complete(reading, board.congestion, path_of(board, largest));
  }
}

}  // namespace softfeb::config
