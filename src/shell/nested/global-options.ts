import type {OptionSpec} from '../options.ts';

/** Options between a program and its subcommand: `git -C . push` is `git push`. */
export const globalOptions: Readonly<Record<string, OptionSpec>> = {
  git: {
    flags:
      'p P v h --paginate --no-pager --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --html-path --man-path --info-path --version --help --exec-path',
    values:
      'C c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --list-cmds --shallow-file',
  },
  npm: {
    flags:
      'g s d q f h v --global --silent --quiet --verbose --json --yes --force --offline --prefer-offline --workspaces --include-workspace-root --ignore-scripts --no-audit --no-fund --dry-run',
    values:
      'w C --prefix --workspace --registry --loglevel --userconfig --globalconfig --cache --tag --scope --otp',
  },
  pnpm: {
    flags: 'r w s --recursive --workspace-root --silent --stream --parallel',
    values: 'C F --dir --filter --prefix --registry --loglevel --reporter',
  },
  yarn: {
    flags: 's --silent --verbose --json --offline --non-interactive',
    values: '--cwd --cache-folder --modules-folder --registry',
  },
  bun: {flags: 'b --bun --silent --hot --watch', values: '--cwd c --config --env-file'},
  docker: {
    flags: 'D v --debug --tls --tlsverify --version',
    values: 'c H l --config --context --host --log-level --tlscacert --tlscert --tlskey',
  },
  podman: {
    flags: 'r --remote --noout --syslog --transient-store',
    values:
      'c --connection --identity --log-level --url --root --runroot --storage-driver --storage-opt --cgroup-manager --module --tmpdir --runtime',
  },
  kubectl: {
    flags: 'v --insecure-skip-tls-verify --match-server-version --warnings-as-errors --disable-compression',
    values:
      'n s --namespace --context --cluster --user --kubeconfig --server --token --as --as-group --as-uid --cache-dir --certificate-authority --client-certificate --client-key --password --username --request-timeout --tls-server-name --v --vmodule --profile --profile-output --log-flush-frequency',
  },
  helm: {
    flags: '--debug --kube-insecure-skip-tls-verify',
    values:
      'n --namespace --kube-context --kubeconfig --registry-config --repository-cache --repository-config --kube-apiserver --kube-token --burst-limit --qps',
  },
  cargo: {
    word: /^\+/,
    flags: 'v q V --verbose --quiet --locked --offline --frozen --list',
    values: 'C Z --color --config --explain',
  },
  go: {values: 'C'},
  rustup: {flags: 'v q --verbose --quiet'},
  terraform: {values: '-chdir', flags: '-version -help'},
  tofu: {values: '-chdir', flags: '-version -help'},
  aws: {
    flags:
      '--debug --no-verify-ssl --no-paginate --no-sign-request --no-cli-pager --no-cli-auto-prompt --cli-auto-prompt',
    values:
      '--endpoint-url --output --query --profile --region --version --color --ca-bundle --cli-read-timeout --cli-connect-timeout --cli-binary-format',
  },
  gcloud: {
    flags: 'q h --quiet --log-http --help',
    values:
      '--account --project --configuration --format --verbosity --billing-project --impersonate-service-account --flags-file --region --zone',
  },
  az: {flags: '--debug --verbose --only-show-errors', values: 'o --output --query --subscription'},
  gh: {values: 'R --repo'},
  systemctl: {
    flags:
      'q f l a r --user --system --no-pager --no-block --now --quiet --force --full --all --no-ask-password --no-wall --global --runtime',
    values:
      'H M t p n o s --host --machine --type --property --lines --output --signal --state --root --job-mode --kill-whom',
  },
  apt: {
    flags:
      'y q d f m s V --yes --assume-yes --quiet --download-only --no-install-recommends --allow-downgrades --fix-broken',
    values: 'o t c --option --target-release --config-file',
  },
  'apt-get': {
    flags:
      'y q d f m s u V --yes --assume-yes --quiet --download-only --no-install-recommends --allow-downgrades --fix-broken',
    values: 'o t c --option --target-release --config-file',
  },
  dnf: {
    flags: 'y q v b C --assumeyes --quiet --verbose --best --cacheonly',
    values: 'c d e R --config --enablerepo --disablerepo --repo --setopt --installroot --releasever',
  },
  yum: {
    flags: 'y q v C --assumeyes --quiet --verbose',
    values: 'c d e R --config --enablerepo --disablerepo --setopt --installroot --releasever',
  },
  brew: {flags: 'd q v --debug --quiet --verbose'},
  pip: {
    flags:
      'v q --verbose --quiet --isolated --require-virtualenv --no-input --disable-pip-version-check --no-cache-dir --no-color --debug',
    values:
      '--python --log --proxy --retries --timeout --trusted-host --cert --client-cert --cache-dir --exists-action --keyring-provider',
  },
  pip3: {
    flags:
      'v q --verbose --quiet --isolated --require-virtualenv --no-input --disable-pip-version-check --no-cache-dir --no-color --debug',
    values:
      '--python --log --proxy --retries --timeout --trusted-host --cert --client-cert --cache-dir --exists-action --keyring-provider',
  },
  svn: {
    flags: 'q v --non-interactive --no-auth-cache --trust-server-cert',
    values: '--username --password --config-dir --config-option',
  },
  hg: {
    flags: 'y q v --noninteractive --quiet --verbose --debug --traceback --profile',
    values: 'R --repository --cwd --config --encoding --encodingmode --color --pager',
  },
  make: {
    flags: 'B b d e i k L n p q r R s S t v w',
    values: 'C f I o W E --directory --file --makefile',
    optional: 'j l O',
  },
  mvn: {flags: 'B q o U X e --batch-mode --quiet --offline --debug', values: 'f s pl P T --file --settings'},
  gradle: {
    flags: 'q i d s --quiet --info --debug --stacktrace --no-daemon --daemon --offline',
    values: 'p b I g --project-dir --build-file --init-script',
  },
  vagrant: {},
};
