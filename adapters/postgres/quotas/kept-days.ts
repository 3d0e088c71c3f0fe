import type { KeptStore } from '../../../domain/quotas/kept-days.ts';
import { KEEP } from '../functions/called-functions.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresKept(sql: Sql): KeptStore {
  return {
    async keep({ kind, rows, bytes, subjects }) {
      const values = KEEP.values({
        subjects: subjects.map(({ hash }) => Buffer.from(hash)),
        of_kind: kind,
        more: rows,
        more_bytes: bytes,
        mosts: subjects.map(({ most }) => most.rows),
        mosts_bytes: subjects.map(({ most }) => most.bytes),
      });
      const [row] = await sql.rows<KeptRow>(COUNT, values);
      if (!row) throw new Error('app.keep returned no row.');
      const subject = row.refused === null ? undefined : subjects[row.refused - 1];
      return subject ? { subject, used: { rows: row.kept, bytes: row.used_bytes }, at: row.at } : null;
    },
  };
}

interface KeptRow {
  /** The position of a subject, from 1. */
  readonly refused: number | null;
  readonly kept: number;
  readonly used_bytes: number;
  readonly at: Date;
}

const COUNT = `select refused, kept, used_bytes::float8 as used_bytes, told_at as at from ${KEEP.call}`;
