import {test} from 'node:test';
import assert from 'node:assert/strict';
import {evaluate, readProfile} from '../../sbpl/evaluate.ts';
import type {Request} from '../../sbpl/filters.ts';

const start = '(version 1)(deny default)';

interface Row {
  readonly name: string;
  readonly rules: string;
  readonly request: Request;
  readonly lastMatch: boolean;
  readonly denyWins?: boolean;
}

const write = (path: string): Request => ({operation: 'file-write-data', path});
const send = (remote: Request['remote'], local?: Request['local']): Request => ({
  operation: 'network-outbound',
  ...(remote ? {remote} : {}),
  ...(local ? {local} : {}),
});
const far = {ip: '192.0.2.1', port: 443};
const near = {ip: '127.0.0.1', port: 80};

const rows: Row[] = [
  {name: 'denied by default', rules: '', request: write('/a'), lastMatch: false},
  {name: 'a rule without a filter', rules: '(allow file-write*)', request: write('/a'), lastMatch: true},
  {name: 'another operation', rules: '(allow file-read*)', request: write('/a'), lastMatch: false},
  {name: 'literal', rules: '(allow file-write* (literal "/a"))', request: write('/a'), lastMatch: true},
  {
    name: 'literal does not match below',
    rules: '(allow file-write* (literal "/a"))',
    request: write('/a/b'),
    lastMatch: false,
  },
  {
    name: 'subpath itself',
    rules: '(allow file-write* (subpath "/a"))',
    request: write('/a'),
    lastMatch: true,
  },
  {
    name: 'subpath below',
    rules: '(allow file-write* (subpath "/a"))',
    request: write('/a/b/c'),
    lastMatch: true,
  },
  {
    name: 'subpath by components',
    rules: '(allow file-write* (subpath "/a"))',
    request: write('/a-evil'),
    lastMatch: false,
  },
  {
    name: 'a later denial',
    rules: '(allow file-write* (subpath "/a"))(deny file-write* (subpath "/a/b"))',
    request: write('/a/b/c'),
    lastMatch: false,
  },
  {
    name: 'an earlier denial',
    rules: '(deny file-write* (subpath "/a/b"))(allow file-write* (subpath "/a"))',
    request: write('/a/b/c'),
    lastMatch: true,
    denyWins: false,
  },
  {
    name: 'a carve-out without the folder itself',
    rules: '(allow file-write* (require-all (subpath "/a") (require-not (subpath "/a/x"))))',
    request: write('/a/x/y'),
    lastMatch: false,
  },
  {
    name: 'any of several filters',
    rules: '(allow file-write* (literal "/a") (literal "/b"))',
    request: write('/b'),
    lastMatch: true,
  },
  {
    name: 'require-any',
    rules: '(allow file-write* (require-any (literal "/a") (regex #"^/b[0-9]+$")))',
    request: write('/b12'),
    lastMatch: true,
  },
  {
    name: 'a regex with a set',
    rules: '(allow file-write* (regex #"^/x[.]y$"))',
    request: write('/xzy'),
    lastMatch: false,
  },
  {
    name: 'a parameter',
    rules: '(allow file-write* (subpath (param "W")))',
    request: write('/w/x'),
    lastMatch: true,
  },
  {
    name: 'a parameter with an ending',
    rules: '(allow file-write* (literal (string-append (param "W") "/x")))',
    request: write('/w/x'),
    lastMatch: true,
  },
  {
    name: 'a device',
    rules: '(allow file-write*)(deny file-write-create (vnode-type CHARACTER-DEVICE))',
    request: {operation: 'file-write-create', path: '/a', vnodeType: 'CHARACTER-DEVICE'},
    lastMatch: false,
  },
  {
    name: 'the loopback interface',
    rules: '(allow network-outbound (remote ip "localhost:*"))',
    request: send(near),
    lastMatch: true,
  },
  {
    name: 'not the internet',
    rules: '(allow network-outbound (remote ip "localhost:*"))',
    request: send(far),
    lastMatch: false,
  },
  {
    name: 'the trap: local ip on an unbound socket is the internet',
    rules: '(allow network-outbound (local ip "localhost:*"))',
    request: send(far),
    lastMatch: true,
  },
  {
    name: 'a bound socket is what it is bound to',
    rules: '(allow network-outbound (local ip "localhost:*"))',
    request: send(far, far),
    lastMatch: false,
  },
  {
    name: 'ip does not match a unix socket',
    rules: '(allow network-outbound (remote ip "*:*"))',
    request: send({unix: '/var/run/docker.sock'}),
    lastMatch: false,
  },
  {
    name: 'a path filter on a socket',
    rules: '(allow network-outbound (literal "/s"))',
    request: send({unix: '/s'}),
    lastMatch: true,
  },
  {
    name: 'a unix socket below a folder',
    rules: '(allow network-outbound (remote unix-socket (subpath "/w")))',
    request: send({unix: '/w/s'}),
    lastMatch: true,
  },
  {
    name: 'same sandbox',
    rules: '(allow signal (target same-sandbox))',
    request: {operation: 'signal', target: 'others'},
    lastMatch: false,
  },
];

for (const {name, rules, request, lastMatch, denyWins = lastMatch} of rows) {
  test(name, () => {
    const profile = readProfile(start + rules, {W: '/w'});
    assert.equal(evaluate(profile, request, 'last-match').allowed, lastMatch);
    assert.equal(evaluate(profile, request, 'deny-wins').allowed, denyWins);
  });
}

test('a denial carries its message', () => {
  const profile = readProfile('(version 1)(deny default (with message (param "TAG")))', {TAG: 'ion-1'});
  assert.equal(evaluate(profile, write('/a')).message, 'ion-1');
});

const refused: {readonly name: string; readonly source: string; readonly want: RegExp}[] = [
  {name: 'a missing version', source: '(deny default)', want: /version/},
  {name: 'a missing default', source: '(version 1)(allow file-read*)', want: /deny default/},
  {name: 'an unknown operation', source: `${start}(allow file-reed*)`, want: /unknown operation file-reed/},
  {
    name: 'an unknown filter',
    source: `${start}(allow file-read* (home-subpath "/x"))`,
    want: /unknown filter home-subpath/,
  },
  {name: 'an unknown form', source: `${start}(import "system.sb")`, want: /unknown rule import/},
  {name: 'an unknown definition', source: `${start}(define x "y")`, want: /unknown rule define/},
  {
    name: 'a missing parameter',
    source: `${start}(allow file-read* (subpath (param "X")))`,
    want: /parameter X/,
  },
  {name: 'an unknown modifier', source: `${start}(deny file-read* (with no-log))`, want: /with message/},
  {
    name: 'a message on an allow',
    source: `${start}(allow file-read* (with message "x"))`,
    want: /with message/,
  },
  {name: 'an unclosed parenthesis', source: `${start}(allow file-read*`, want: /not closed/},
  {name: 'an extra parenthesis', source: `${start})`, want: /too many/},
  {
    name: 'a folder with a trailing slash',
    source: `${start}(allow file-read* (subpath "/a/"))`,
    want: /clean path/,
  },
  {
    name: 'a JavaScript regex',
    source: `${start}(allow file-read* (regex #"^/\\d+"))`,
    want: /regular expressions/,
  },
  {
    name: 'a look-ahead',
    source: `${start}(allow file-read* (regex #"^/(?!x)"))`,
    want: /regular expressions/,
  },
  {name: 'a quote', source: `${start}(allow file-read* 'x)`, want: /cannot read/},
];

for (const {name, source, want} of refused) {
  test(`refuses ${name}`, () => {
    assert.throws(() => {
      const rules = readProfile(source, {});
      evaluate(rules, {operation: 'file-read-data', path: '/a'});
    }, want);
  });
}
