#pragma once
#include <string>
#include <vector>

namespace ion {

/// Names below `folder`, relative to it, of what others (neither owner nor group) may not read: files without that right, folders
/// that others cannot list or enter, and links to either. A folder that is named is not looked into. What this user cannot list
/// either is left out. Of more than `kMostEntries` the folder in which they were found is named as a whole.
std::vector<std::string> closed_to_others(const std::string& folder);

}  // namespace ion
