import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Container {
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}
interface Pods {
  readonly metadata: { readonly labels: object };
  readonly spec: {
    readonly containers: readonly [Container];
    readonly volumes: readonly { readonly name: string }[];
    readonly terminationGracePeriodSeconds?: number;
  };
}
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template?: Pods;
    readonly selector?: object;
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

const manifests = parseAllDocuments(read('docs/operating/kubernetes.yaml'), { version: '1.1' }).map(
  (document) => document.toJS() as Manifest,
);
const podsOf = (name: string) => manifests.find(({ metadata, spec }) => metadata.name === name && spec.template)?.spec;
const containerOf = (name: string) => podsOf(name)?.template?.spec.containers[0];

let folder: string;
beforeAll(() => {
  folder = makeThrowawayFolder('kubernetes');
});
afterAll(() => removeThrowawayFolder(folder));

/** What the compiler says of manifests as values of the types of the Kubernetes API, which know every field. */
function typeFaults(all: readonly object[]): string {
  const file = join(folder, 'manifests.ts');
  const types = join(ROOT, 'node_modules/kubernetes-types');
  const constants = (all as readonly Manifest[]).map((manifest, n) => {
    const group = manifest.apiVersion.includes('/') ? manifest.apiVersion : `core/${manifest.apiVersion}`;
    return `export const _${n}: import('${types}/${group}.d.ts').${manifest.kind} = ${JSON.stringify(manifest)};`;
  });
  writeFileSync(file, constants.join('\n'));
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--types',
    '',
    '--module',
    'nodenext',
    '--ignoreConfig',
    file,
  ];
  return spawnSync(join(ROOT, 'node_modules/.bin/tsc'), options, { encoding: 'utf8', cwd: folder }).stdout;
}

describe('docs/operating/kubernetes.yaml', () => {
  test('every field is one of the API of Kubernetes', () => {
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Job migrate',
      'Deployment api',
      'Service api',
      'PodDisruptionBudget api',
      'StatefulSet worker',
      'Service worker',
      'PodDisruptionBudget worker',
    ]);
    expect(typeFaults(manifests)).toBe('');
    const [job] = manifests;
    expect(typeFaults([{ ...job, spec: { ...job?.spec, backofLimit: 5 } }])).toContain('backofLimit');
  });

  test('each selector finds pods, each port is one of theirs, and each mount has a volume', () => {
    const pods = manifests.flatMap(({ spec }) => spec.template ?? []);
    for (const { spec } of manifests) {
      const selector = Object.entries((spec.selector as { matchLabels?: object })?.matchLabels ?? spec.selector ?? {});
      const selected = pods.find((pod) =>
        selector.every((label) => Object.entries(pod.metadata.labels).some((own) => own.join() === label.join())),
      );
      expect(selected).toBeDefined();
      for (const { targetPort } of spec.ports ?? [])
        expect(selected?.spec.containers[0].ports).toContainEqual(expect.objectContaining({ name: targetPort }));
      const volumes = [
        ...(spec.template?.spec.volumes ?? []),
        ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata),
      ];
      const mounts = spec.template?.spec.containers[0].volumeMounts ?? [];
      expect(volumes.map(({ name }) => name)).toEqual(expect.arrayContaining(mounts.map(({ name }) => name)));
    }
  });

  test('every variable is one of the service, and pods end later than a process in order', () => {
    const known = read('docs/configuration.md');
    for (const name of ['api', 'worker']) {
      for (const variable of containerOf(name)?.env ?? []) expect(known).toContain(`| \`${variable.name}\` |`);
      expect(podsOf(name)?.template?.spec.terminationGracePeriodSeconds).toBeGreaterThan(25 + 5);
    }
  });

  test('the owner of the schema is a matter of the job alone, and the key of the log of the workers', () => {
    const secretsOf = (name: string) => containerOf(name)?.envFrom.map(({ secretRef }) => secretRef.name);
    expect([secretsOf('migrate'), secretsOf('api'), secretsOf('worker')]).toEqual([
      ['stancebook', 'stancebook-owner'],
      ['stancebook'],
      ['stancebook'],
    ]);
    expect(containerOf('migrate')?.args).toEqual(['stancebook', 'admin', 'migrate']);
    const valueIn = (part: string, name: string) => containerOf(part)?.env?.find((each) => each.name === name)?.value;
    expect(valueIn('api', 'LOG_KEY_FILE')).toBeUndefined();
    const mounts = containerOf('worker')?.volumeMounts.map(({ mountPath }) => mountPath);
    for (const variable of ['LOG_KEY_FILE', 'LOG_LAST_SEEN']) {
      expect(mounts).toContain(dirname(valueIn('worker', variable) ?? ''));
    }
    expect(podsOf('worker')?.volumeClaimTemplates).toMatchObject([{ metadata: { name: 'log-seen' } }]);
  });
});
