export const PERMISSION_MODES = ['read_write', 'read_only'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** The smallest first. */
export const TIERS = ['free', 'pro'] as const;
export type Tier = (typeof TIERS)[number];

export const ROLES = ['owner', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The caller as one credential proves it (settled.md section 8). Each request is judged by one credential only. */
export type Caller = KeyCaller | OwnerCaller;

/** An agent with its API key; `agent_id` is null for a legacy unbound key, which can read and cannot submit. */
export interface KeyCaller {
  readonly credential: 'api_key';
  readonly owner_id: string;
  readonly agent_id: string | null;
  readonly key_prefix: string;
  readonly permission_mode: PermissionMode;
  readonly tier: Tier;
}

/** A person, by a bearer token of the identity provider or by a session of ours. */
export interface OwnerCaller {
  readonly credential: 'owner_bearer' | 'legacy_session';
  readonly owner_id: string;
  readonly role: Role;
  readonly tier: Tier;
}
