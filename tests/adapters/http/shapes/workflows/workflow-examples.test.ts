import { expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../../adapters/formats/canonical-json.ts';
import { configFaultsBySchema } from '../../../../../adapters/formats/config-faults.ts';
import { draftExample } from '../../../../../adapters/http/shapes/workflows/workflow-draft.ts';
import { snapshotExample } from '../../../../../adapters/http/shapes/workflows/workflow-examples.ts';
import { sha256Hex } from '../../../../../application/sha256.ts';
import { readiness } from '../../../../../domain/workflows/readiness.ts';
import { sealSnapshot, snapshotView } from '../../../../../domain/workflows/snapshot.ts';

const draft = { ...draftExample, visibility: 'public' } as const;

test('the draft of the reference can be published', () => {
  expect(readiness(draft, configFaultsBySchema())).toEqual({ ready: true, failures: [] });
});

test('the snapshot of the reference is what publishing that draft makes', () => {
  const { visibility, published_at: at } = snapshotExample;
  const published = { ...sealSnapshot(draft, canonicalJson, sha256Hex), visibility, at };
  expect(snapshotExample).toEqual(snapshotView(published));
});
