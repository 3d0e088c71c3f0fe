import type { LearnedStatement, NameStatement } from '../../domain/market/name-statement.ts';

/** A statement of an operator about a US ticker. */
export function aStatement(said: Partial<NameStatement> & Pick<NameStatement, 'name' | 'key'>): NameStatement {
  const source = { kind: 'operator', name: 'desk' } as const;
  return { market: 'stock', from: '2012-05-18', kind: 'listed', source, ...said };
}

/** Statements as they were learned, one import each, a minute apart. */
export function learned(...said: readonly (NameStatement & { readonly withdraws?: number })[]): LearnedStatement[] {
  return said.map((each, at) => ({ ...each, id: at + 1, learned_at: new Date(Date.UTC(2026, 10, 1, 12, at)) }));
}

/** FB was Facebook until 9 June 2022, which is META since; META was a fund until 31 January 2022, now METV; FB is a fund now. */
export const FACEBOOK: readonly NameStatement[] = [
  aStatement({ name: 'FB', until: '2022-06-09', key: 'META' }),
  aStatement({ name: 'META', from: '2022-06-09', key: 'META', kind: 'renamed' }),
  aStatement({ name: 'META', from: '2021-06-30', until: '2022-01-31', key: 'METV' }),
  aStatement({ name: 'METV', from: '2022-01-31', key: 'METV', kind: 'renamed' }),
  aStatement({ name: 'FB', from: '2025-06-24', key: 'FB', kind: 'reused' }),
];
