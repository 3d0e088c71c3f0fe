import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ACCOUNTS } from './accounts.ts';
import { EVIDENCE } from './evidence.ts';
import { GRANTS } from './grants.ts';
import { SUBMISSION } from './submission.ts';
import { SUBMIT } from './submit.ts';
import { SURROUNDINGS } from './surroundings.ts';

/** The tables and functions of the first release. */
export class First1763700000000 implements MigrationInterface {
  readonly name = 'First1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of ['create schema app', ACCOUNTS, EVIDENCE, SURROUNDINGS, SUBMISSION, SUBMIT, GRANTS])
      await runner.query(sql);
  }

  async down(): Promise<void> {
    throw new Error('The first release is not taken back: restore a backup instead.');
  }
}
