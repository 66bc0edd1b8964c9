import { generateKeyPair, type KeyAlgorithm } from '../../base/pki/keys.ts';
import { createCertificateRequest } from '../../base/pki/request.ts';
import { expect } from 'vitest';
import { type Api, type Json, at, nameOf } from './api.ts';

const CERTIFICATES = '/apis/certificates.orch.io/v1/certificatesigningrequests';
const WITHIN = { timeout: 60_000, interval: 50 };

/** Polls until the result matches. Rejects with the last result after a timeout. */
export const eventually = (ask: () => Promise<unknown>): ReturnType<typeof expect.poll> =>
  expect.poll(ask, WITHIN);

/** Returns a function that requests a path and returns the status code. */
export const statusOf = (api: Api, path: string) => async (): Promise<number> =>
  (await api.call('GET', path)).status;

/** Creates an object. Expects the status code 201. */
export async function created(api: Api, path: string, body: unknown): Promise<Json> {
  const { status, text, json } = await api.call('POST', path, { body });
  expect([status, text]).toEqual([201, text]);
  return json;
}

/** Creates and approves a request for a client certificate. */
export async function approvedRequest(
  api: Api,
  name: string,
  algorithm: KeyAlgorithm = 'ec-p256',
): Promise<void> {
  const pem = createCertificateRequest(generateKeyPair(algorithm), { commonName: name, organizations: [] });
  const object = await created(api, CERTIFICATES, {
    metadata: { name },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName: 'orch.io/orch-apiserver-client',
      usages: ['client auth', 'digital signature'],
    },
  });
  const { status, text } = await api.call('PUT', `${CERTIFICATES}/${name}/approval`, {
    body: {
      ...object,
      status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'test' }] },
    },
  });
  expect([status, text]).toEqual([200, text]);
}

/** Returns a function that reads the issued certificate. */
export const certificateOf = (api: Api, name: string) => async (): Promise<unknown> =>
  at((await api.call('GET', `${CERTIFICATES}/${name}`)).json, 'status', 'certificate');

/** Creates a namespace, and waits for the objects that controllers create in each namespace. */
export async function filledNamespace(api: Api, name: string): Promise<void> {
  await created(api, '/api/v1/namespaces', { metadata: { name } });
  await eventually(statusOf(api, `/api/v1/namespaces/${name}/serviceaccounts/default`)).toBe(200);
  await eventually(statusOf(api, `/api/v1/namespaces/${name}/configmaps/orch-root-ca.crt`)).toBe(200);
}

/** Returns a function that reads the names in a collection. */
export const namesIn = (api: Api, path: string) => async (): Promise<readonly string[]> =>
  (await api.items(path)).map(nameOf);
