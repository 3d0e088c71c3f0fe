import { SESSION } from '../../../domain/limits.ts';
import type { HeldCredential, Proof } from '../../../domain/quotas/admission.ts';
import { interval } from '../kit/interval.ts';
import type { Sql } from '../kit/sql.ts';

/** See `AdmissionDesk.judgeAgain`: one statement, which locks and writes nothing. */
export async function judgeAgain(sql: Sql, held: readonly HeldCredential[]): Promise<readonly boolean[]> {
  if (held.length === 0) return [];
  const column = (of: (proof: Proof) => unknown) => held.map(({ proof }) => of(proof));
  const values = [
    column((proof) => (proof.credential === 'api_key' ? proof.key_hash : null)),
    held.map(({ from }) => from),
    column((proof) => (proof.credential === 'legacy_session' ? proof.session_hash : null)),
    column((proof) => (proof.credential === 'owner_bearer' ? proof.identity.issuer : null)),
    column((proof) => (proof.credential === 'owner_bearer' ? proof.identity.subject : null)),
    interval(SESSION.idle),
    interval(SESSION.absolute),
  ];
  const valid = new Set((await sql.rows<{ place: number }>(VALID, values, 'judge-again')).map(({ place }) => place));
  return held.map((_, index) => valid.has(index + 1));
}

/**
 * SQL by hand: the rules of `app.count_keys` and `app.count_others` without their counts. A suspension revokes keys and
 * ends sessions, so that the owner is read for identities alone.
 */
const VALID = `
  select h.place::int as place
  from (select greatest(app.now(), (select f.at from app.limits_floor f)) as at, app.now() as moment) clock,
    unnest($1::bytea[], $2::text[], $3::bytea[], $4::text[], $5::text[]) with ordinality
      h(key_hash, address, session_hash, issuer, subject, place)
  where exists (select from app.api_keys k where k.key_hash = h.key_hash and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > clock.at)
      and (k.allowed_networks is null or not app.is_outside(address => h.address, networks => k.allowed_networks)))
    or exists (select from app.sessions s where s.session_hash = h.session_hash
      and s.last_seen_at > clock.moment - $6::interval and s.created_at > clock.moment - $7::interval)
    or exists (select from app.identities i join app.owners o using (owner_id)
      where i.issuer = h.issuer and i.subject = h.subject and o.suspended_at is null)`;
