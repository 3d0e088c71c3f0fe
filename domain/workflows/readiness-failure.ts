export const READINESS_CODES = [
  'NAME_MISSING',
  'DESCRIPTION_MISSING',
  'TEXT_HIDDEN',
  'TOO_FEW_NODES',
  'NODE_REPEATED',
  'NODE_UNKNOWN',
  'CONFIG_INVALID',
  'EDGE_REPEATED',
  'EDGE_NODE_UNKNOWN',
  'EDGE_PORT_UNKNOWN',
  'TYPES_DIFFER',
  'INPUT_UNCONNECTED',
  'INPUT_CONNECTED_TWICE',
  'CYCLE',
  'SUBMIT_MISSING',
  'SUBMIT_REPEATED',
  'SUBMIT_UNREACHABLE',
  'NODE_UNUSED',
] as const;
export type ReadinessCode = (typeof READINESS_CODES)[number];

/** One thing that prevents the publication of a draft. */
export interface ReadinessFailure {
  readonly code: ReadinessCode;
  /** The node's own name in the draft; null for the draft as a whole. */
  readonly node: string | null;
  readonly port: string | null;
  /** What is wrong, and what fixes it. */
  readonly message: string;
}
