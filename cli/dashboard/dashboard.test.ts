import { describe, expect, it } from 'vitest';
import {
  type Vocabulary,
  kubernetesVocabulary,
  orchVocabulary,
  vocabularies,
} from '../../api/vocabulary/vocabulary.ts';
import type { HttpHandler } from '../../base/http/message.ts';
import type { PageSettings } from '../../dashboard/index.ts';
import { type Transport, type TransportRequest, createInMemoryTransport } from '../../runtime/index.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { pageOver } from './dashboard.ts';

const SETTINGS = '/dashboard/settings.json';

async function answerOf(handler: HttpHandler, url: string, accept = '*/*') {
  const { status, body } = await handler({
    method: 'GET',
    url,
    headers: { host: ['127.0.0.1:80'], accept: [accept] },
    body: () => Promise.resolve(Buffer.of()),
    signal: new AbortController().signal,
    peer: { address: '127.0.0.1' },
  });
  return { status, text: body instanceof Uint8Array ? Buffer.from(body).toString() : '' };
}

const settingsOf = async (handler: HttpHandler): Promise<PageSettings> =>
  JSON.parse((await answerOf(handler, SETTINGS)).text);

/**
 * Returns a transport to a server that returns these responses in order and repeats the last one. `undefined`
 * stands for no response.
 */
function scripted(...answers: readonly (readonly [status: number, body: object] | undefined)[]) {
  const asked: TransportRequest[] = [];
  const transport: Transport = {
    send(request) {
      asked.push(request);
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer === undefined) return Promise.reject(new Error('connection refused'));
      const [status, given] = answer;
      const body = (async function* () {
        yield Buffer.from(JSON.stringify(given));
      })();
      return Promise.resolve({ status, headers: {}, body });
    },
    close: async () => {},
  };
  return { transport, asked };
}

const groupList = (...names: readonly string[]) =>
  [200, { kind: 'APIGroupList', groups: names.map((name) => ({ name })) }] as const;

const groupsOf = (vocabulary: Vocabulary): PageSettings['groups'] => ({
  meta: vocabulary.group('meta'),
  authorization: vocabulary.group('authorization'),
  certificates: vocabulary.group('certificates'),
});

describe('pageOver', () => {
  it.each(vocabularies.map((vocabulary) => [vocabulary.product, vocabulary] as const))(
    'uses the vocabulary of a server with %s names without configuration',
    async (_, vocabulary) => {
      const { server, clock, peerOf } = await useWorld({ vocabulary, controllers: [] });
      const peer = peerOf('admin', 'system:masters');
      const transport = createInMemoryTransport({ handler: server.handler, clock, peer });
      const handler = pageOver(transport);
      const { product, groups } = await settingsOf(handler);
      // The program keeps its own name in every vocabulary.
      expect({ product, groups }).toEqual({ product: orchVocabulary.product, groups: groupsOf(vocabulary) });
      // Related objects are found with this media type, which the server rejects in another vocabulary.
      const metadataOnly = (group: string): Promise<number> =>
        answerOf(
          handler,
          '/api/v1/namespaces',
          `application/json;as=PartialObjectMetadataList;v=v1;g=${group}`,
        ).then(({ status }) => status);
      const other = vocabularies.find((each) => each !== vocabulary) as Vocabulary;
      expect([await metadataOnly(groups.meta), await metadataOnly(other.group('meta'))]).toEqual([200, 406]);
    },
  );

  it('uses the configured vocabulary without a request', async () => {
    const { transport, asked } = scripted(groupList('authorization.orch.io'));
    expect((await settingsOf(pageOver(transport, kubernetesVocabulary))).groups).toEqual(
      groupsOf(kubernetesVocabulary),
    );
    expect(asked).toEqual([]);
  });

  it('uses the vocabulary of most groups, because one group may be foreign', async () => {
    const { transport } = scripted(
      groupList('apps', 'authorization.orch.io', 'metrics.k8s.io', 'rbac.authorization.orch.io'),
    );
    expect((await settingsOf(pageOver(transport))).groups).toEqual(groupsOf(orchVocabulary));
  });

  it('requests the groups once, and again only until the server responds', async () => {
    const { transport, asked } = scripted(undefined, groupList('authorization.k8s.io'));
    const handler = pageOver(transport);
    expect(await answerOf(handler, SETTINGS)).toEqual({ status: 503, text: 'connection refused\n' });
    for (let time = 0; time < 3; time++)
      expect((await settingsOf(handler)).groups).toEqual(groupsOf(kubernetesVocabulary));
    expect(asked).toHaveLength(2);
  });

  it.each([
    [[403, { kind: 'Status' }] as const, 'status 403'],
    [groupList('apps', 'example.com'), 'no group that a vocabulary has'],
  ])(
    'explains what to do if the response of the server does not identify a vocabulary',
    async (answer, reason) => {
      const handler = pageOver(scripted(answer).transport);
      expect(await answerOf(handler, SETTINGS)).toEqual({
        status: 503,
        text: `cannot detect the vocabulary of the server: /apis returned ${reason}; set --vocabulary\n`,
      });
    },
  );
});
