import { sha256Hex } from '../../../application/sha256.ts';
import type { LoggedNames } from '../../../domain/log/log-store.ts';
import { standing } from '../../../domain/market/name-book.ts';
import {
  isMapping,
  type NameStore,
  overlaps,
  type StoredName,
  statementOfLine,
} from '../../../domain/market/name-statement.ts';
import { MINUTE, rfc3339 } from '../../../domain/time.ts';
import type { Table } from '../kit/table.ts';

export interface NameTables {
  /** By id. */
  readonly names: Table<string, StoredName>;
}

export function memoryNames({ names }: NameTables, now: () => Date): NameStore {
  const all = () => names.where(() => true).toSorted((a, b) => a.id - b.id);
  const statements = () => all().map(({ id, line }) => statementOfLine(id, line));
  return {
    // Transactions run one after the other.
    async lock() {
      const newest = statements().at(-1);
      return { newest: newest?.id ?? 0, learned_at: newest?.learned_at ?? null, now: now() };
    },
    tryLock: async () => true,
    async add(added) {
      const before = statements();
      const fresh = added.map(({ id, line }) => statementOfLine(id, line));
      for (const each of added) {
        if (names.get(String(each.id))) throw new Error(`The name statement ${each.id} is there.`);
        names.set(String(each.id), each);
      }
      const fault = faultOf(before, fresh, now());
      if (fault !== null) throw new Error(`INSERT on names is refused: ${fault}`);
    },
    after: async (id) => all().filter((each) => each.id > id),
  };
}

type Statements = readonly ReturnType<typeof statementOfLine>[];

function faultOf(before: Statements, fresh: Statements, now: Date): string | null {
  const [first, last] = [fresh[0], before.at(-1)];
  if (!first) return null;
  const next = (last?.id ?? 0) + 1;
  if (fresh.some(({ id }, at) => id !== next + at)) return `its numbers do not follow ${next - 1}`;
  const at = first.learned_at.getTime();
  if (fresh.some((each) => each.learned_at.getTime() !== at)) {
    return 'the statements of one import are learned at one time';
  }
  if (last && last.learned_at.getTime() >= at) return `statements were learned at ${last.learned_at.toISOString()}`;
  if (Math.abs(at - now.getTime()) > MINUTE) return 'it is not learned now';
  const all = [...before, ...fresh];
  const withdrawals = all.flatMap(({ withdraws }) => withdraws ?? []);
  const isWithdrawn = (id: number) => all.some((each) => each.id === id && each.withdraws === undefined);
  if (new Set(withdrawals).size < withdrawals.length || !withdrawals.every(isWithdrawn)) return 'it withdraws none';
  const valid = standing(all).filter(isMapping);
  const double = valid.find(
    (a) => fresh.some(({ id }) => id === a.id) && valid.some((b) => b.id < a.id && overlaps(a, b)),
  );
  return double ? `${double.id} overlaps another statement of its source` : null;
}

/** The imports in their order, with the SHA-256 of their lines. */
export function linesOf({ names }: NameTables): readonly LoggedNames[] {
  const sorted = names.where(() => true).toSorted((a, b) => a.id - b.id);
  const imports = Map.groupBy(sorted, ({ id, line }) => rfc3339(statementOfLine(id, line).learned_at));
  return [...imports].map(([learned_at, added]) => {
    return { learned_at, sha256: sha256Hex(...added.map(({ line }) => `${line}\n`)) };
  });
}
