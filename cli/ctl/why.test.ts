import { expect, it } from 'vitest';
import type { AttentionDocument } from '../../dashboard/index.ts';
import { createTestTerminal } from './terminal.fixture.ts';
import { printWhy } from './why.ts';

const blocked = {
  reason: 'namespace-remains',
  controller: 'namespace',
  sentence: 'Namespace shop cannot be deleted before ConfigMap shop/held.',
  blocker: {
    group: '',
    version: 'v1',
    plural: 'configmaps',
    kind: 'ConfigMap',
    namespace: 'shop',
    name: 'held',
  },
  sinceMs: 0,
};

function createTerminal(items: AttentionDocument['items']) {
  const asked: string[] = [];
  const { terminal, printed } = createTestTerminal(async ({ path }) => {
    asked.push(path);
    return { kind: 'Attention', atMs: 600_000, total: items.length, items };
  });
  return { terminal, printed, asked };
}

const ALL = { namespace: '', controller: '' };

it('orch why prints the age, the sentence and the blocking object of each item, and returns 2', async () => {
  const { terminal, printed, asked } = createTerminal([blocked]);
  expect(await printWhy(terminal, [], ALL)).toBe(2);
  expect(asked).toEqual(['/journal/v1/attention?']);
  expect(printed()).toBe(
    '10m    Namespace shop cannot be deleted before ConfigMap shop/held.\n' +
      '       namespace-remains, namespace, blocked by configmaps/held -n shop\n',
  );
});

it.each([
  [['job', 'team/work'], ALL, 'kind=job&name=work&namespace=team'],
  [
    ['job', 'work'],
    { namespace: 'team', controller: 'job' },
    'kind=job&name=work&namespace=team&controller=job',
  ],
])('orch why asks for %j only', async (words, filters, query) => {
  const { terminal, printed, asked } = createTerminal([]);
  expect(await printWhy(terminal, words, filters)).toBe(0);
  expect(asked).toEqual([`/journal/v1/attention?${query}`]);
  expect(printed()).toBe(`${words.join(' ')} does not need attention\n`);
});

it('orch why refuses a kind without a name', async () => {
  await expect(printWhy(createTerminal([]).terminal, ['job'], ALL)).rejects.toThrow(
    'expected KIND NAME or nothing, received "job"',
  );
});
