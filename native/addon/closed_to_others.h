#pragma once
#include <string>
#include <vector>

namespace ion {

/// Names below `folder`, relative to it, of entries that others (neither owner nor group) may not read: files without
/// that right, folders that others cannot list or enter, and links to either where the folder is granted entry by entry
/// (one of these names, or one of `apart`, is below it). A listed folder is not searched. Entries that this user cannot
/// list are left out. Beyond `kMostEntries` entries the folder that contains them is listed as a whole.
std::vector<std::string> closed_to_others(const std::string& folder, const std::vector<std::string>& apart);

}  // namespace ion
