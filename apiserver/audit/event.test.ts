import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { eventOf } from './audit.fixture.ts';
import { eventLine, eventList, legacyLine } from './event.ts';

describe('an audit event', () => {
  it('is one line of JSON that starts with its kind', () => {
    expect(eventLine(eventOf('x'), kubernetesVocabulary)).toBe(
      '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"x","stage":"ResponseComplete",' +
        '"requestURI":"/api/v1/namespaces/a/pods","verb":"list","user":{"username":"alice","groups":["system:authenticated"]},' +
        '"requestReceivedTimestamp":"2026-01-01T00:00:00.000000Z","stageTimestamp":"2026-01-01T00:00:00.000000Z"}',
    );
  });

  it('has the API group of the vocabulary, and no type if it is a list item', () => {
    expect(eventList([eventOf('x')], orchVocabulary)).toEqual({
      kind: 'EventList',
      apiVersion: 'audit.orch.io/v1',
      metadata: {},
      items: [eventOf('x')],
    });
  });

  it('is one line of text in the legacy format', () => {
    expect(legacyLine(eventOf('x', { userAgent: 'a"b', sourceIPs: ['10.0.0.1'] }))).toBe(
      '2026-01-01T00:00:00Z AUDIT: id="x" stage="ResponseComplete" ip="10.0.0.1" method="list" user="alice" ' +
        'groups="\\"system:authenticated\\"" as="<self>" asgroups="<lookup>" user-agent="a\\"b" namespace="<none>" ' +
        'uri="/api/v1/namespaces/a/pods" response="<deferred>"',
    );
    const answered = eventOf('x', {
      user: {},
      impersonatedUser: { username: 'bob', groups: ['g'] },
      objectRef: { namespace: 'a' },
      responseStatus: { metadata: {}, code: 403 },
    });
    expect(legacyLine(answered)).toContain(
      'user="<none>" groups="<none>" as="bob" asgroups="\\"g\\"" user-agent="" namespace="a"',
    );
    expect(legacyLine(answered)).toMatch(/ response="403"$/);
  });

  it('never contains a line break from client input', () => {
    const line = legacyLine(eventOf('x', { userAgent: 'a\nb\r', user: { username: 'e\nvil' } }));
    expect(line).not.toMatch(/[\r\n]/);
  });
});
