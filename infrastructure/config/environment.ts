import { nearest } from '../../adapters/http/kit/input/input-messages.ts';
import type { Variable } from './variable.ts';
import { OUR_PREFIXES, SECTIONS } from './variables.ts';

type Sections = typeof SECTIONS;
type Merged<T> = (T extends unknown ? (all: T) => void : never) extends (all: infer All) => void ? All : never;
type Variables = Merged<Sections[keyof Sections]>;
type ValueOf<V> = V extends Variable<infer T> ? (V extends { readonly fallback: string } ? T : T | undefined) : never;

/** The values of the environment by variable; undefined for a variable that is not set and has no default. */
export type Environment = { readonly [Name in keyof Variables]: ValueOf<Variables[Name]> };

export interface EnvironmentReading {
  readonly values: Environment;
  /** `NAME: what is wrong; what to send`, one line each. If there is a fault, the values must not be used. */
  readonly faults: readonly string[];
}

/** Reads every variable by its shape. An empty variable counts as absent. */
export function readEnvironment(env: NodeJS.ProcessEnv): EnvironmentReading {
  const variables: readonly (readonly [string, Variable<unknown>])[] = Object.values(SECTIONS).flatMap((section) =>
    Object.entries(section),
  );
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { shape, fallback }] of variables) {
    const sent = env[name] || fallback;
    if (sent === undefined) continue;
    const read = shape.schema.safeParse(sent);
    if (read.success) values[name] = read.data;
    else
      faults.push(
        `${name}: ${shape.secret ? 'what was sent' : JSON.stringify(sent)} cannot be used; send ${shape.expects}`,
      );
  }
  const names = variables.map(([name]) => name);
  return { values: values as Environment, faults: [...faults, ...unknownNames(env, names)] };
}

function unknownNames(env: NodeJS.ProcessEnv, names: readonly string[]): readonly string[] {
  return Object.keys(env)
    .filter((name) => OUR_PREFIXES.some((prefix) => name.startsWith(prefix)) && !names.includes(name))
    .map((name) => `${name}: there is no such variable; ${advice(nearest(name, names))}`);
}

function advice(near: string | undefined): string {
  return near === undefined ? 'leave it out (docs/configuration.md lists them all)' : `did you mean ${near}?`;
}
