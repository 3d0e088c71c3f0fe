import type { z } from 'zod';
import type { ProblemDetail } from '../../../../domain/problem.ts';
import { BETWEEN_MEMBERS } from './input-messages.ts';

/** `shape`: not the form of the endpoint's input (400). `value`: the right form, outside its domain (400 or 422). */
export interface InputFault {
  readonly kind: 'shape' | 'value';
  readonly detail: ProblemDetail;
}

/** Every fault that a schema found in `input`, in the order of the schema. */
export function inputFaults(issues: readonly z.core.$ZodIssue[], input: unknown): InputFault[] {
  return issues.flatMap((issue) => faultsOf(issue, [], input));
}

function faultsOf(issue: z.core.$ZodIssue, base: readonly PropertyKey[], input: unknown): InputFault[] {
  const path = [...base, ...issue.path];
  if (issue.code === 'unrecognized_keys') return unknownMembers(issue, path, input);
  if (issue.code === 'invalid_union') {
    const branch = intendedBranch(issue.errors);
    if (branch) return branch.flatMap((inner) => faultsOf(inner, path, input));
  }
  const received = valueAt(input, path);
  return [{ kind: kindOf(issue, received), detail: detail(path, issue.message, received) }];
}

function unknownMembers(
  { keys, message }: z.core.$ZodIssueUnrecognizedKeys,
  path: readonly PropertyKey[],
  input: unknown,
): InputFault[] {
  const lines = message.split(BETWEEN_MEMBERS);
  const rest = lines.length === 1 ? message : 'is not known here';
  return keys.map((key, index) => {
    const place = [...path, key];
    return { kind: 'shape', detail: detail(place, lines[index] ?? rest, valueAt(input, place)) };
  });
}

/** The only alternative with the type of the input, if any: its faults are more exact than the union's. */
function intendedBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  const alike = branches.filter((issues) => !issues.some(({ code, path }) => code === 'invalid_type' && !path.length));
  return alike.length === 1 ? alike[0] : undefined;
}

function kindOf(issue: z.core.$ZodIssue, received: unknown): 'shape' | 'value' {
  if (received === undefined) return 'shape';
  switch (issue.code) {
    case 'invalid_type':
      return typeof received === 'number' && (issue.expected === 'int' || issue.expected === 'number')
        ? 'value'
        : 'shape';
    case 'invalid_value':
      return issue.values.some((value) => typeof value === typeof received) ? 'value' : 'shape';
    case 'invalid_union':
      return issue.errors.length > 0 && !issue.errors.some((branch) => isOfRightType(branch, received))
        ? 'shape'
        : 'value';
    case 'custom':
      return issue.params?.shape === true ? 'shape' : 'value';
    default:
      return 'value';
  }
}

/** Whether an alternative refuses only the value itself, and not its type or its members. */
function isOfRightType(branch: readonly z.core.$ZodIssue[], received: unknown): boolean {
  return branch.every((issue) => issue.path.length === 0 && kindOf(issue, received) === 'value');
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

const SECRET = /password|secret|token|code|api_?key|state/i;

/** Short plain values are shown to the caller; secrets, documents and long texts are not. */
function detail(path: readonly PropertyKey[], message: string, received: unknown): ProblemDetail {
  // An empty name is also a member's name, not the whole input.
  const place = path
    .map((key) => (key === '' ? '""' : String(key)))
    .join('.')
    .slice(0, 200);
  const plain = received === null || typeof received === 'number' || typeof received === 'boolean';
  const short = typeof received === 'string' && received.length <= 100;
  const isShown = (plain || short) && !path.some((key) => SECRET.test(String(key)));
  return isShown ? { path: place, message, received } : { path: place, message };
}
