import type { JsonObject } from './node-template.ts';
import { SCHEMA_VERSION, type Snapshot, type SnapshotContent, WORKFLOW_KIND } from './snapshot.ts';
import type { Draft, Visibility } from './workflow.ts';

/** The content of a workflow file. One made from a snapshot has no visibility, since a snapshot has none. */
export interface WorkflowDocument extends SnapshotContent {
  readonly visibility?: Visibility;
}

/** The draft as a file, with nodes and edges in the order in which they were written. */
export function draftDocument({ name, description, tags, visibility, nodes, edges }: Draft): WorkflowDocument {
  return { schema_version: SCHEMA_VERSION, kind: WORKFLOW_KIND, name, description, tags, visibility, nodes, edges };
}

/** A position in a text, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A YAML text that was parsed. */
export interface YamlReading {
  /** The same document as JSON. */
  readonly json: string;
  /** The positions of its members by their path, with dots between levels, down to those of a config. */
  readonly places: ReadonlyMap<string, Place>;
}

/** Workflows as YAML (settled.md section 11). */
export interface WorkflowYaml {
  /**
   * Reads a text of an owner, one at a time in this process, without delaying other requests: one document of YAML 1.2's core schema without aliases,
   * tags and directives, with unique member names, that JSON can carry and a database can store.
   * @throws Problem MALFORMED_BODY with line and column, also for a text that takes longer than WORKFLOW.parseDeadline
   * to compute; RATE_LIMIT_EXCEEDED while another text of the owner is being read; SERVICE_UNAVAILABLE while too many wait, and for a text that was not read within WORKFLOW.parsePatience
   */
  read(text: string, owner_id: string): Promise<YamlReading>;

  /** The text of a document; equal documents have the same text. */
  write(document: WorkflowDocument): string;
}

/** How an agent uses the service, generated from the endpoints. */
export interface AgentGuide {
  /** Every endpoint that takes an API key, in Markdown. */
  readonly reference: string;
  readonly submit: { readonly method: string; readonly path: string };
  /** An example body for `submit`. */
  readonly submission: JsonObject;
}

/** The parts of a skill. */
export interface SkillParts {
  readonly snapshot: Snapshot;
  /** The YAML of the snapshot. */
  readonly yaml: string;
  readonly guide: AgentGuide;
}

/** The `.skill` archive of a snapshot: a zip (settled.md section 11). The same parts give the same bytes. */
export type PackSkill = (parts: SkillParts) => Uint8Array<ArrayBuffer>;
