import { describe, expect, it } from 'vitest';
import { proxyFromEnvironment } from './environment-proxy.ts';

const PROXY = 'http://proxy:3128';

describe('proxyFromEnvironment', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['https://api.example.com', {}, undefined],
    ['https://api.example.com', { HTTPS_PROXY: PROXY }, PROXY],
    ['https://api.example.com', { https_proxy: PROXY }, PROXY],
    ['https://api.example.com', { HTTPS_PROXY: '', https_proxy: PROXY }, PROXY],
    ['https://api.example.com', { HTTPS_PROXY: 'proxy:3128' }, PROXY],
    ['https://api.example.com', { HTTP_PROXY: PROXY }, undefined],
    ['http://api.example.com', { HTTP_PROXY: PROXY }, PROXY],
    ['http://api.example.com', { HTTPS_PROXY: PROXY }, undefined],
    ['not a URL', { HTTPS_PROXY: PROXY }, undefined],
  ])('selects for the server %s with the environment %j the proxy %s', (server, environment, proxy) => {
    expect(proxyFromEnvironment(server, environment)).toBe(proxy);
  });

  it.each([
    ['https://localhost:6443', '', true],
    ['https://127.0.0.2:6443', '', true],
    ['https://[::1]:6443', '', true],
    ['https://10.0.0.1:6443', '', false],
    ['https://api.example.com', '*', true],
    ['https://api.example.com', 'other.org, API.example.com', true],
    ['https://api.example.com', 'example.com', true],
    ['https://api.example.com', '.example.com', true],
    ['https://api.example.com', '*.example.com', true],
    ['https://example.com', 'example.com', true],
    ['https://example.com', '.example.com', false],
    ['https://example.com', '*.example.com', false],
    ['https://myexample.com', 'example.com', false],
    ['https://api.example.com', 'example.com:443', true],
    ['https://api.example.com:6443', 'example.com:443', false],
    ['https://10.0.0.1:6443', '10.0.0.1', true],
    ['https://10.0.0.1:6443', '10.0.0.1:6443', true],
    ['https://10.0.0.1:6443', '10.0.0.1:443', false],
    ['https://10.0.0.11', '10.0.0.1', false],
    ['https://10.96.0.1', '10.96.0.0/12', true],
    ['https://10.128.0.1', '10.96.0.0/12', false],
    ['https://10.96.0.1', '10.96.0.0/99', false],
    ['https://[fd00::1]', 'fd00::/8', true],
    ['https://[fd00::1]', 'fd00::1', true],
    ['https://[fd00::1]', '[fd00::1]:443', true],
    ['https://[fd00::2]', 'fd00::1', false],
    ['https://api.example.com', ' , ', false],
  ])('decides for the server %s with NO_PROXY %j whether to bypass the proxy: %s', (server, list, spared) => {
    const environment = { HTTPS_PROXY: PROXY, NO_PROXY: list };
    expect(proxyFromEnvironment(server, environment)).toBe(spared ? undefined : PROXY);
  });
});
