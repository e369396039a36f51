/** Package managers whose registry ion finds in this machine's files (presets/registry-table.ts). */
export const presetNames = [
  'npm',
  'pnpm',
  'yarn',
  'pip',
  'bundler',
  'composer',
  'cargo',
  'go',
  'maven',
] as const;

export type PresetName = (typeof presetNames)[number];
