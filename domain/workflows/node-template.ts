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
