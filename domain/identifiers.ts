import { utcDate } from './time.ts';

export const OWNER_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const RECORD_ID = /^dec_\d{8}_[0-9a-f]{8}$/;
export const AGENT_ID = /^agt_[0-9a-f]{12}$/;
export const GROUP_ID = /^grp_[0-9a-f]{24}$/;
export const WORKFLOW_ID = OWNER_ID;
export const SNAPSHOT_HASH = /^[0-9a-f]{64}$/;
export const WORKFLOW_REF = /^wf:([0-9a-f]{64})$/;

/** `dec_YYYYMMDD_8hex` of the UTC receive date (settled.md section 2); `suffix` are its 8 random hex digits. */
export function recordId(received: Date, suffix: string): string {
  return `dec_${utcDate(received).replaceAll('-', '')}_${suffix}`;
}

/** The form in which a submission names a workflow's snapshot (interface.md 2.1). */
export function workflowRef(snapshotHash: string): string {
  return `wf:${snapshotHash}`;
}

/** `agt_` and 12 hex digits, from 6 random bytes. */
export function agentId(random: Uint8Array): string {
  return `agt_${hex(random.subarray(0, 6))}`;
}

/** `grp_` and 24 hex digits, from 12 random bytes: nothing of a record is in it. */
export function groupId(random: Uint8Array): string {
  return `grp_${hex(random.subarray(0, 12))}`;
}

/** A UUID version 7 (RFC 9562 section 5.7) from an instant and 10 random bytes: ordered by time, unguessable otherwise. */
export function uuidV7(at: Date, random: Uint8Array): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  const [a = 0, b = 0, c = 0, ...rest] = random;
  const version = hex([0x70 | (a & 0x0f), b]);
  const variant = hex([0x80 | (c & 0x3f), ...rest.slice(0, 1)]);
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}-${hex(rest.slice(1, 7))}`;
}

function hex(bytes: Iterable<number>): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
