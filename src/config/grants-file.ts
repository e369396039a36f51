import {createHash} from 'node:crypto';

/** The file of a workspace's grants, below `~/.ion`. A hash that nobody can aim: a workspace is a name that a project chooses. */
export function grantsName(workspace: string): string {
  return `grants/${createHash('sha256').update(workspace).digest('hex').slice(0, 32)}.toml`;
}
