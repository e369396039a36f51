import {renderMessage} from '../errors.ts';
import type {ProtectionId} from '../sandbox/matrix/matrix.ts';
import {messageFor} from '../session/report/message-for.ts';
import {refusingSettings} from '../session/report/violations.ts';
import type {After, Attack} from './attack.ts';

/** Control characters that clear the screen, set the title and turn the direction of writing, in their C1 form too. */
const controls = '\\e[2J\\e]0;title\\a\\xe2\\x80\\xae\\xc2\\x9b2J';

/** Reports whether a message or a help line that ion prints about the run contains a control character. */
const printsControls: After = ({events, session}) => {
  const settings = refusingSettings(session);
  const texts = events.flatMap((event) => {
    if (event.kind === 'violation')
      return renderMessage(messageFor({kind: 'violation', violation: {...event, count: 1}, settings}));
    return event.kind === 'autorun' ? renderMessage(messageFor({kind: 'repair', event})) : [];
  });
  return texts.some((text) => text.split('\n').some((line) => /[\p{Cc}\p{Cf}]/u.test(line)));
};

/** Attacks on ion's reports about a run. */
export const onReports = {
  reported: [
    {name: 'write outside without a report', doctor: true, reported: true, script: 'echo x > ../created'},
    {
      name: 'have a terminal sequence printed, in the name of a file',
      doctor: true,
      script: `echo x > ../$'${controls}'`,
      after: printsControls,
    },
    {
      name: 'have one printed, in the name of a program',
      doctor: true,
      script: `cp "$(command -v touch)" $'${controls}' && ./$'${controls}' ../created`,
      after: printsControls,
    },
    {
      name: 'have one printed, in the name of a repository',
      doctor: true,
      script: `d=$'${controls}'; mkdir -p "$d/.git/objects" "$d/.git/refs" && printf "[core]\\n\\tfsmonitor = evil\\n" > "$d/.git/config" && echo "ref: refs/heads/main" > "$d/.git/HEAD"`,
      after: printsControls,
    },
  ],
} satisfies Partial<Record<ProtectionId, readonly Attack[]>>;
