import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { environment } from '../../test/real-time.ts';
import { openStorage } from './storage.ts';

const scheme = createScheme(orchVocabulary, builtinKinds);

describe('storage flags', () => {
  const opened = (flags: object): Promise<unknown> =>
    openStorage(
      {
        'etcd-servers': ['https://127.0.0.1:2379'],
        'etcd-prefix': '/store',
        'etcd-cafile': '',
        'etcd-certfile': '',
        'etcd-keyfile': '',
        'encryption-provider-config': '',
        'store-compaction-interval': 0,
        ...flags,
      },
      '',
      { ...environment, scheme },
    );

  it.each([
    [
      { 'etcd-servers': ['127.0.0.1:2379'] },
      '--etcd-servers has 127.0.0.1:2379, it must be https://host:port',
    ],
    [
      { 'etcd-servers': ['https://etcd/v3'] },
      '--etcd-servers has https://etcd/v3, it must be https://host:port',
    ],
    [{ 'etcd-prefix': '/' }, '--etcd-prefix is /; expected / followed by a name'],
    [{ 'etcd-prefix': 'registry' }, '--etcd-prefix is registry; expected / followed by a name'],
    [{ 'etcd-certfile': 'client.crt' }, '--etcd-certfile and --etcd-keyfile go together'],
    [{ 'etcd-cafile': '/nowhere/ca.crt' }, '/nowhere/ca.crt does not exist'],
  ])('reject %j', async (flags, message) => {
    await expect(opened(flags)).rejects.toThrow(message);
  });
});
