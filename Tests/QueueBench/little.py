"""Little's identity, counted from published results alone.

In a minute of which each second is known, the integral of the length equals the time that the published visits spent in it. The
server computes a residual of its own; this one shares no code with it.
"""


def residual_ms(minutes, visits):
    """The largest difference of any such minute, and their number. Both lists are documents: final minutes, and all visits."""
    most = count = 0
    for minute in minutes:
        span = minute["end"] - minute["start"]
        if minute["state"] == "unknown" or minute["knownMs"] != span:
            continue
        # The mean has three decimal places, and the length of a second is a whole number.
        integral = round(minute["length"]["mean"] * span / 1000) * 1000
        inside = sum(max(0, min(visit["left"], minute["end"]) - max(visit["entered"], minute["start"]))
                     for visit in visits if visit["queue"] == minute["queue"])
        most, count = max(most, abs(integral - inside)), count + 1
    return most, count
