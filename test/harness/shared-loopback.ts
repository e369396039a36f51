import {noNamespaces} from '../conformance/kernels.ts';
import {compiled} from './native.ts';

/** A kernel that grants no namespaces, as Ubuntu 24.04 does for a user. There the run shares the machine's loopback. */
export const through = (): string[] => [compiled('deny-syscalls.c'), ...noNamespaces, '--'];
export const loopback = ['run', '--timeout', '60s', '--config', 'loopback.toml'];
export const config = {'loopback.toml': '[sandbox]\nnetwork = "loopback"\n'};
