#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/object.h"

namespace dray::app {

/// What a path in a file of that folder means: a relative one is of the folder. `-` stays.
[[nodiscard]] std::string in_folder(const std::string& path, const std::string& folder);

/// `-` is the standard input.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

/// Files as they are, and of directories those in them (not below) that end with one of `endings`,
/// by name. A directory without any, or that cannot be read, is an Error.
[[nodiscard]] Result<std::vector<std::string>> files_of(const std::vector<std::string>& paths,
                                                        std::span<const std::string_view> endings);

/// Files as they are, and of directories the *.yaml, *.yml and *.json in them (by name, not below).
[[nodiscard]] Result<std::vector<std::string>> manifest_files(
    const std::vector<std::string>& paths);

/// The objects of manifest files, and of the *.yaml, *.yml and *.json in directories (by name, not
/// below), in order. A ZIP archive is read as the snapshot.json in it, as KAI-Scheduler gives one.
[[nodiscard]] Result<std::vector<KubeObject>> load_cluster(const std::vector<std::string>& paths);

/// What somebody brings to a cluster.
struct Applied {
  std::vector<KubeObject> objects;
  std::vector<std::string> left_out;   ///< owners of pods whose pods are not made, for people
  std::vector<std::string> strangers;  ///< those of which it is not known what pods they make
};

/// The same, with the pods that the controllers of Jobs and the like would make
/// (sim::add_owned_pods()); `later`: also those that come when others of a Job have ended.
[[nodiscard]] Result<Applied> load_applied(const std::vector<std::string>& paths,
                                           bool later = false);

/// A file or folder of config/ as installed or as in the source tree: beside the program
/// (../share/dray), or above its build folder. An Error says where it was looked for.
[[nodiscard]] Result<std::string> find_bundled(const std::string& name);

/// A file that `./dev web` builds, as installed (../share/dray beside the program) or in build/web
/// of the source tree. An Error says how it is built.
[[nodiscard]] Result<std::string> find_web(const std::string& name);

}  // namespace dray::app
