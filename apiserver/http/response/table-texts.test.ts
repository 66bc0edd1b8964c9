import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../../api/groups/index.ts';
import { kubernetesVocabulary, orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { printerOf } from './table.ts';

/** Columns without a description: upstream takes this one from a field that does not exist. */
const SILENT = ['RuntimeClass Handler'];

describe('the columns of a table', () => {
  const columns = builtinKinds.flatMap((kind) =>
    printerOf(kind, kubernetesVocabulary).definitions.map(
      ({ name, description }) => [`${kind.kind} ${name}`, description] as const,
    ),
  );

  it('have descriptions, except for the known exception', () => {
    const silent = columns.filter(([, description]) => description === '').map(([column]) => column);
    expect([...new Set(silent)]).toEqual(SILENT);
  });

  it('use the words of the vocabulary', () => {
    const texts = new Map(columns);
    expect(texts.get('PersistentVolume Capacity')).toBe(
      "A description of the persistent volume's resources and capacity. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity",
    );
    expect(texts.get('Service External-IP')).toContain('These IPs are not managed by Kubernetes.');
    for (const [, text] of columns) expect(text).not.toMatch(/\{(domain|groupSuffix|[pP]roduct|short)\}/);
    const [services] = builtinKinds.filter(({ kind }) => kind === 'Service');
    const renamed = services && JSON.stringify(printerOf({ ...services }, orchVocabulary).definitions);
    expect(renamed).toContain('not managed by Orch.');
    expect(renamed).not.toMatch(/kubernetes/i);
  });
});
