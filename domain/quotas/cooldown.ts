import { SECOND } from '../time.ts';

/** The newest accepted submission of one agent, market, symbol and direction. */
export interface Cooldown {
  readonly last_at: Date;
  readonly record_id: string;
}

/** The record that holds the cooldown, and the whole seconds until it ends. */
export interface HeldBack {
  readonly record_id: string;
  readonly retry_after_seconds: number;
}

/**
 * Whether the cooldown refuses a submission at `now`: it does for `cooldownSeconds` after the last accepted one,
 * excluding their very end; 0 turns it off (interface.md section 8). When the clock was set back, it lasts until the
 * clock has passed that end again. Null when it does not refuse.
 * @param last null when there is none
 */
export function heldBack(last: Cooldown | null, cooldownSeconds: number, now: Date): HeldBack | null {
  if (last === null || cooldownSeconds === 0) return null;
  const remaining = last.last_at.getTime() + cooldownSeconds * SECOND - now.getTime();
  return remaining <= 0 ? null : { record_id: last.record_id, retry_after_seconds: Math.ceil(remaining / SECOND) };
}
