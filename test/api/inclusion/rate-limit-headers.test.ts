import test from 'ava';
import { rateLimitHeaders } from '../../../api/inclusion/inclusion-answer.ts';

const day = { limit: 20, remaining: 7, resetS: 3600 };
const minute = { limit: 120, remaining: 0, resetS: 12 };

test('rateLimitHeaders() says what is left of the day', (t) => {
  t.deepEqual(rateLimitHeaders({ window: 'day', ...day, policies: [{ name: 'day', ...day }] }), {
    'RateLimit-Policy': '"day";q=20;w=86400',
    RateLimit: '"day";r=7;t=3600',
    'RateLimit-Limit': '20',
    'RateLimit-Remaining': '7',
    'RateLimit-Reset': '3600',
  });
});

test('rateLimitHeaders() lists every quota of somebody with credits, and says how long to wait', (t) => {
  const policies = [
    { name: 'day', ...day, remaining: 0 },
    { name: 'minute', ...minute },
    { name: 'credits', limit: 500, remaining: 380, resetS: undefined },
  ] as const;
  t.deepEqual(rateLimitHeaders({ window: 'minute', ...minute, policies }, 12), {
    'RateLimit-Policy': '"day";q=20;w=86400, "minute";q=120;w=60, "credits";q=500',
    RateLimit: '"day";r=0;t=3600, "minute";r=0;t=12, "credits";r=380',
    'RateLimit-Limit': '120',
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': '12',
    'Retry-After': '12',
  });
});
