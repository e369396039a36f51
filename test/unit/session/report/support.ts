import type {RefusingSettings} from '../../../../src/session/report/refusal.ts';

/** Settings that refuse nothing by name. */
export const nothingRefuses: RefusingSettings = {
  denyCommands: [],
  rules: [],
  deniedPaths: [],
  protect: [],
  frames: {},
  trustedFiles: [],
  home: undefined,
};
