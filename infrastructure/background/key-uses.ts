import type { Ports } from '../../application/ports.ts';
import { API_KEY } from '../../domain/limits.ts';
import type { AdmissionDesk } from '../../domain/quotas/admission.ts';

/**
 * The same desk, which also records the use of each admitted key. No request waits for that or fails because of it;
 * uses that a process has not written when it dies are lost.
 * @param networkOf a keyed hash of the network of an address
 */
export function notingKeyUses(
  { apiKeys, admission }: Pick<Ports, 'apiKeys' | 'admission'>,
  networkOf: (address: string) => string,
  onFault: (fault: unknown) => void,
): AdmissionDesk {
  const note = noteKeyUses(apiKeys, networkOf, onFault);
  return {
    ...admission,
    async admit(request) {
      const answer = await admission.admit(request);
      if ('caller' in answer && answer.caller?.credential === 'api_key') {
        note(answer.caller.key_prefix, request.from, answer.at);
      }
      return answer;
    },
  };
}

/**
 * Writes a key at most once a minute for each address; keys that arrive during a statement go into the next one together,
 * each with its last use.
 */
export function noteKeyUses(
  { noteUse }: Pick<Ports['apiKeys'], 'noteUse'>,
  networkOf: (address: string) => string,
  onFault: (fault: unknown) => void,
): (key_prefix: string, from: string | null, at: Date) => void {
  const seen = new Set<string>();
  const waiting = new Map<string, string | null>();
  let seenSince = 0;
  let writing = false;

  async function write(): Promise<void> {
    writing = true;
    while (waiting.size > 0) {
      const uses = [...waiting].map(([key_prefix, from]) => ({ key_prefix, network: from && networkOf(from) }));
      waiting.clear();
      await noteUse(uses).catch(onFault);
    }
    writing = false;
  }

  return (key_prefix, from, at) => {
    if (at.getTime() >= seenSince + API_KEY.noteEvery) {
      seen.clear();
      seenSince = at.getTime();
    }
    const use = `${key_prefix} ${from}`;
    if (seen.has(use)) return;
    seen.add(use);
    waiting.set(key_prefix, from);
    if (!writing) void write();
  };
}
