import type { JsonObject } from './node-template.ts';
import { SCHEMA_VERSION, type Snapshot, type SnapshotContent, WORKFLOW_KIND } from './snapshot.ts';
import type { Draft, Visibility } from './workflow.ts';

/** What a file says of a workflow. One that was made of a snapshot names no visibility: that is no part of a snapshot. */
export interface WorkflowDocument extends SnapshotContent {
  readonly visibility?: Visibility;
}

/** The draft as a file, nodes and edges in the order in which they were written. */
export function draftDocument({ name, description, tags, visibility, nodes, edges }: Draft): WorkflowDocument {
  return { schema_version: SCHEMA_VERSION, kind: WORKFLOW_KIND, name, description, tags, visibility, nodes, edges };
}

/** Where in a text something stands, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A YAML text that was understood. */
export interface YamlReading {
  /** The same document as JSON. */
  readonly json: string;
  /** Where its members stand, by their path, dots between levels; down to those of a config. */
  readonly places: ReadonlyMap<string, Place>;
}

/** Workflows as YAML (settled.md section 11). */
export interface WorkflowYaml {
  /**
   * Reads a text that anybody may have written, without holding up others: one document of YAML 1.2's core schema without
   * aliases, tags and directives, each member named once, that JSON could carry and a database keep.
   * @throws Problem MALFORMED_BODY with line and column, also for what takes longer than WORKFLOW.parseDeadline to
   * compute; SERVICE_UNAVAILABLE while too many wait, and for what has not been read within WORKFLOW.parsePatience
   */
  read(text: string): Promise<YamlReading>;

  /** The text of a document; equal documents have the same text. */
  write(document: WorkflowDocument): string;
}

/** How an agent reaches the service: told by the endpoints themselves. */
export interface AgentGuide {
  /** Every endpoint that takes an API key, in Markdown. */
  readonly reference: string;
  readonly submit: { readonly method: string; readonly path: string };
  /** A body that `submit` takes. */
  readonly submission: JsonObject;
}

/** What a skill is made of. */
export interface SkillParts {
  readonly snapshot: Snapshot;
  /** Of the snapshot. */
  readonly yaml: string;
  readonly guide: AgentGuide;
}

/** The `.skill` archive of a snapshot: a zip (settled.md section 11). The same parts give the same bytes. */
export type PackSkill = (parts: SkillParts) => Uint8Array<ArrayBuffer>;
