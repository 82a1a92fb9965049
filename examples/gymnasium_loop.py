"""Twenty episodes in Gymnasium's loop, with a policy that only ever looks around: how far does that get?"""

import gymnasium

import intercode.env  # noqa: F401 - makes the worlds known to Gymnasium

env = gymnasium.make("intercode/Bash-v1", dataset="starter", turns=3)
total = 0.0
for episode in range(20):
    query, info = env.reset(seed=1 if episode == 0 else None)
    terminated = truncated = False
    for action in ("ls -R /shop", "cat /shop/README.md", "submit"):
        observation, reward, terminated, truncated, info = env.step(action)
    assert terminated
    total += float(reward)
    print(f"{info['task']:40} {reward:.2f}")
env.close()
print(f"mean reward of looking around: {total / 20:.3f}")
assert total < 10, "looking around should not be worth much"
