import type { WireOwnerDetail } from '../kit/wire.ts';

/**
 * `meta` as the agent sent it, byte for byte: the reader of this reply has rounded its numbers, and the statement of the
 * commitment contains it as a text. null without one.
 */
export function metaText({ meta, commitment_opening }: Pick<WireOwnerDetail, 'meta' | 'commitment_opening'>) {
  if (meta === null) return null;
  // Where it is shown, the statement can be read.
  const { body } = JSON.parse(commitment_opening?.statement ?? '{}') as { readonly body?: { readonly meta?: unknown } };
  return typeof body?.meta === 'string' ? body.meta : JSON.stringify(meta);
}
