/** The kinds of step, in the order in which a workflow usually goes through them (settled.md section 11). */
export const NODE_GROUPS = ['input', 'data', 'evidence', 'analysis', 'logic', 'risk', 'decision'] as const;
export type NodeGroup = (typeof NODE_GROUPS)[number];

/** The types of the values on an edge; both of its ends have the same one. */
export const PORT_TYPES = [
  'instrument',
  'bars',
  'news',
  'fundamentals',
  'features',
  'thesis',
  'risk',
  'cohort',
  'decision',
] as const;
export type PortType = (typeof PORT_TYPES)[number];

export interface InputPort {
  readonly port: string;
  readonly type: PortType;
  readonly required: boolean;
  /** Whether more than one edge may end here. */
  readonly multiple: boolean;
}

export interface OutputPort {
  readonly port: string;
  readonly type: PortType;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The terminal step: a workflow has exactly one (settled.md section 11). */
export const SUBMIT_NODE = 'decision.submit';

/**
 * One kind of step. Snapshots name it by `node_id` alone and are stored for ever, so nothing that a published one
 * relies on is removed: `version` grows with every change, and a change that would break an older config or edge gets a
 * new `node_id`.
 */
export interface NodeTemplate {
  /** `group.name`. */
  readonly node_id: string;
  readonly title: string;
  readonly group: NodeGroup;
  readonly version: number;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /** JSON Schema, draft 2020-12, of an object without additional members. */
  readonly config_schema: JsonObject;
  /** For the agent that follows the workflow: what to read, what to decide, what to pass on. */
  readonly instructions: string;
}

export interface ConfigFault {
  /** With dots between levels; empty for the config as a whole. */
  readonly path: string;
  readonly message: string;
}

/** The faults of a config by its template's schema; a few at most, none when it is valid. Never throws. */
export type ConfigFaults = (template: NodeTemplate, config: JsonObject) => readonly ConfigFault[];

// A port is named by its type unless two of a template would then share a name.

/** Exactly one edge ends here. */
export function needs(type: PortType, port: string = type): InputPort {
  return { port, type, required: true, multiple: false };
}

/** One edge or more end here. */
export function needsSome(type: PortType, port: string = type): InputPort {
  return { port, type, required: true, multiple: true };
}

/** No edge or one. */
export function takes(type: PortType, port: string = type): InputPort {
  return { port, type, required: false, multiple: false };
}

/** Any number of edges. */
export function takesAny(type: PortType, port: string = type): InputPort {
  return { port, type, required: false, multiple: true };
}

export function gives(type: PortType, port: string = type): OutputPort {
  return { port, type };
}

interface Work {
  /** Where to look, and what to take from there. */
  readonly read: string;
  /** What to make up one's mind about, and how. */
  readonly decide: string;
  /** What each output holds. */
  readonly handOn: string;
}

/** The instructions of a template, in the three parts that each of them has. */
export function instructions({ read, decide, handOn }: Work): string {
  return `Read: ${read}\nDecide: ${decide}\nHand on: ${handOn}`;
}

/** The schema of a config: these members and no others, each with a default unless it is named as required. */
export function config(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...object(properties, required),
  };
}

export function object(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

export function whole(description: string, [minimum, maximum]: Range, fallback: number): JsonObject {
  return { type: 'integer', description, minimum, maximum, default: fallback };
}

export function number(description: string, [minimum, maximum]: Range, fallback: number): JsonObject {
  return { type: 'number', description, minimum, maximum, default: fallback };
}

export function flag(description: string, fallback: boolean): JsonObject {
  return { type: 'boolean', description, default: fallback };
}

/** One of some words; without a fallback the instructions say what its absence means. */
export function choice(description: string, words: readonly string[], fallback?: string): JsonObject {
  return { type: 'string', description, enum: words, ...(fallback === undefined ? {} : { default: fallback }) };
}

export function text(description: string, maxLength: number): JsonObject {
  return { type: 'string', description, minLength: 1, maxLength };
}

export function texts(description: string, maxItems: number, maxLength: number): JsonObject {
  return {
    type: 'array',
    description,
    minItems: 1,
    maxItems,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength },
  };
}

type Range = readonly [least: number, most: number];
