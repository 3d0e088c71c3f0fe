import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { errorCode } from '../error-code.ts';
import type { Variable } from './variable.ts';
import { SECTIONS } from './variables.ts';

/** Every variable whose value is a secret. */
export const SECRET_NAMES: readonly string[] = Object.values(SECTIONS)
  .flatMap((section) => Object.entries(section) as readonly (readonly [string, Variable<unknown>])[])
  .filter(([, { shape }]) => shape.secret)
  .map(([name]) => name);

/** The variable that names the file of a secret, as containers, systemd and agents of vaults deliver it. */
export function fileVariable(name: string): string {
  return `${name}_FILE`;
}

/**
 * The environment with the secrets of files in their variables, and without the variables of the files. Files are read at
 * each start.
 * @throws Error with all faults, which name no secret
 */
export function withSecretFiles(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const read: NodeJS.ProcessEnv = { ...env };
  const faults: string[] = [];
  for (const name of SECRET_NAMES) {
    const variable = fileVariable(name);
    const file = env[variable];
    delete read[variable];
    if (!file) continue;
    try {
      if (env[name]) throw new Error(`${name} is set as well; send one of them`);
      read[name] = secretIn(file);
    } catch (error) {
      faults.push(`${variable}: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (faults.length > 0) throw unusable(faults);
  return read;
}

export function unusable(faults: readonly string[]): Error {
  return new Error(`The configuration cannot be used:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);
}

/** The text of a file that not everybody may read, without the end of its line. @throws Error that says what to do */
export function secretIn(file: string): string {
  const text = textOf(file).replace(/\r?\n$/, '');
  if (text === '') throw new Error(`${file} is empty; send the path of a file with the secret`);
  return text;
}

function textOf(file: string): string {
  let handle: number;
  // To open one waits for whatever writes to it, for ever where nothing does. What a shell hands on is open already.
  if (!/^\/(dev|proc)\//.test(file) && statSync(file, { throwIfNoEntry: false })?.isFIFO()) {
    throw new Error(
      `${file} is a named pipe, which has its text once, and each start reads it; send the path of a file`,
    );
  }
  try {
    handle = openSync(file, constants.O_RDONLY);
  } catch (error) {
    throw new Error(`${file} cannot be read (${errorCode(error)}); send the path of a file that this user may read`);
  }
  try {
    if ((fstatSync(handle).mode & 0o004) !== 0) throw new Error(`${file} can be read by every user; ${CLOSE}`);
    return readFileSync(handle, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    throw code === undefined ? error : new Error(`${file} cannot be read (${code}); send the path of a file`);
  } finally {
    closeSync(handle);
  }
}

const CLOSE = 'give it the mode 0400, or 0440 and the group of the service (docs/secrets.md)';
