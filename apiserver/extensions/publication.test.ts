import { expect, it } from 'vitest';
import { builtinKinds, customResourceDefinitions } from '../../api/groups/index.ts';
import { type AnyKind, createScheme } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createCatalogue } from '../catalogue.ts';
import { createRegistry } from '../registry/create-registry.ts';
import { writing } from '../registry/registry.fixture.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import { conditionOf, widgets } from './extensions.fixture.ts';
import { createExtensions } from './extensions.ts';

const MERGE = 'application/merge-patch+json';

async function startWithDefinition() {
  const errors: object[] = [];
  const log = { ...silentLogger, error: (fields: object) => void errors.push(fields) };
  const environment = { clock: createSimulatedClock(), random: createSeededRandom(1), log };
  const catalogue = createCatalogue({ builtIn: createScheme(kubernetesVocabulary, builtinKinds) });
  const storage = createMemoryStorage({ stamp: stampResourceVersion });
  const registry = createRegistry({ storage, scheme: catalogue.kept, environment });
  await registry.start();
  const extensions = createExtensions({ registry, catalogue, environment, converterOf: () => undefined });
  await extensions.start();
  const definitions = registry.of(customResourceDefinitions);
  await definitions.create('', widgets(), writing());
  const condition = async (type: string) =>
    conditionOf((await definitions.get('', 'widgets.example.com', '')).object as never, type);
  const until = async (done: () => Promise<boolean>): Promise<void> => {
    for (let turn = 0; turn < 500 && !(await done()); turn++)
      await new Promise((resolve) => setImmediate(resolve));
    expect(await done()).toBe(true);
  };
  const served = (): AnyKind | undefined => catalogue.served.byResource('example.com', 'v1', 'widgets');
  await until(async () => served() !== undefined && (await condition('Established')) !== undefined);
  return { extensions, definitions, condition, until, served, errors };
}

it('a definition with an unpublishable kind has a condition until the definition is changed', async () => {
  const { extensions, definitions, condition, until, served, errors } = await startWithDefinition();
  expect(await condition('OpenAPIPublished')).toBeUndefined();
  const kind = served();
  if (kind === undefined) throw new Error('the kind is not served');
  extensions.unpublishable(kind, new RangeError('too deep'));
  await until(async () => (await condition('OpenAPIPublished')) !== undefined);
  expect(await condition('OpenAPIPublished')).toMatchObject({
    status: 'False',
    reason: 'NotPublishable',
    message: 'version v1 cannot be published: too deep',
  });
  expect(errors).toEqual([expect.objectContaining({ definition: 'widgets.example.com', version: 'v1' })]);
  const names = { shortNames: ['other'] };
  await definitions.patch('', 'widgets.example.com', '', MERGE, { spec: { names } }, writing());
  await until(async () => (await condition('OpenAPIPublished')) === undefined);
  expect(await condition('Established')).toMatchObject({ status: 'True' });
});
